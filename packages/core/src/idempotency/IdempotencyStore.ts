/** The port that keeps the answers of requests that name an idempotency key. What a key means is Idempotency's. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Instant } from "../shared/Instant.ts"

export interface Claim {
  /** Hash of the key and of all that it is good for. */
  readonly id: string
  /** Of the request's body. */
  readonly fingerprint: string
  readonly at: Instant
  /** The first moment at which the key is free again. */
  readonly until: Instant
}

export interface KeptAnswer {
  readonly status: number
  /** The `Location` header. */
  readonly location: string | null
  readonly body: string
  /** The body is sealed. */
  readonly sealed: boolean
}

export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    /** None too when it expired. */
    readonly find: (id: string, at: Instant) => Effect.Effect<Option.Option<KeptAnswer & Pick<Claim, "fingerprint">>>
    /**
     * To be called within the transaction that makes the change, and before it. `claimed`: until that ends, nobody else gets
     * this claim. `kept`: an answer is there. `running`: somebody else's transaction holds the claim; never waits for it.
     */
    readonly claim: (claim: Claim) => Effect.Effect<"claimed" | "kept" | "running">
    /** Keeps the answer under a claim of the same transaction. */
    readonly keep: (id: string, answer: KeptAnswer) => Effect.Effect<void>
  }
>()("@partner-commentary/core/idempotency/IdempotencyStore") {}
