/** The port that stores responses by idempotency key. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Instant } from "../shared/Instant.ts"

export interface IdempotencyClaim {
  /** The hash of the idempotency key, organization, environment, method, path and `IdempotentRequest.part`. */
  readonly id: string
  /** The fingerprint of the request's body. */
  readonly fingerprint: string
  readonly at: Instant
  /** The time at which the idempotency key expires. */
  readonly until: Instant
}

export interface StoredResponse {
  readonly status: number
  /** The value of the response's `Location` header. */
  readonly location: string | null
  readonly body: string
  /** True if the stored body is encrypted. */
  readonly encrypted: boolean
}

export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    /** Returns the stored response; none if no response is stored or the stored response has expired. */
    readonly find: (
      id: string,
      at: Instant
    ) => Effect.Effect<Option.Option<StoredResponse & Pick<IdempotencyClaim, "fingerprint">>>
    /**
     * Claims an idempotency key. `claim` must be the first call in the transaction of the change. `claimed`: this
     * transaction holds the claim until its end. `kept`: a response is already stored. `running`: another transaction
     * holds the claim, and `claim` returns without waiting for this transaction.
     */
    readonly claim: (claim: IdempotencyClaim) => Effect.Effect<"claimed" | "kept" | "running">
    /** Stores the response. The current transaction must hold the claim on the idempotency key. */
    readonly keep: (id: string, answer: StoredResponse) => Effect.Effect<void>
  }
>()("@partner-commentary/core/idempotency/IdempotencyStore") {}
