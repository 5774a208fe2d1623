/** The port that stores responses by idempotency key. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Instant } from "../shared/Instant.ts"

export interface Claim {
  /** Hash of the key and its context. */
  readonly id: string
  /** Of the request's body. */
  readonly fingerprint: string
  readonly at: Instant
  /** When the key expires. */
  readonly until: Instant
}

export interface StoredResponse {
  readonly status: number
  /** The `Location` header. */
  readonly location: string | null
  readonly body: string
  /** The body is encrypted. */
  readonly encrypted: boolean
}

export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    /** None when it has expired. */
    readonly find: (
      id: string,
      at: Instant
    ) => Effect.Effect<Option.Option<StoredResponse & Pick<Claim, "fingerprint">>>
    /**
     * Called first in the transaction of the change. `claimed`: the claim is exclusive until the transaction ends.
     * `kept`: a response is stored. `running`: another transaction holds the claim. Does not wait for it.
     */
    readonly claim: (claim: Claim) => Effect.Effect<"claimed" | "kept" | "running">
    /** Stores the response under a claim of the same transaction. */
    readonly keep: (id: string, answer: StoredResponse) => Effect.Effect<void>
  }
>()("@partner-commentary/core/idempotency/IdempotencyStore") {}
