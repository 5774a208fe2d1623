/** Which webhooks' secrets open, and sealing all anew under the first signing secret, so that the others can be dropped. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Encryption } from "../shared/Encryption.ts"
import type { WebhookId } from "../shared/Ids.ts"
import { sealedFor } from "./WebhookSecret.ts"
import { WebhookStore } from "./WebhookStore.ts"

export interface Resealed {
  readonly resealed: number
  /** Those that no signing secret opens: nothing can be signed for them any more. */
  readonly lost: ReadonlyArray<WebhookId>
}

const pageSize = 100

/** Those that a visit says no to, and how many it says yes to. */
const visitAll = Effect.fnUntraced(function* <R>(
  visit: (id: WebhookId, sealed: string) => Effect.Effect<boolean, never, R>
) {
  const store = yield* WebhookStore
  const refused: Array<WebhookId> = []
  let accepted = 0
  let page = yield* store.sealedSecrets(null, pageSize)
  while (page.length > 0) {
    for (const { id, sealedSecret } of page) {
      if (yield* visit(id, sealedSecret)) accepted += 1
      else refused.push(id)
    }
    page = yield* store.sealedSecrets(page.at(-1)?.id ?? null, pageSize)
  }
  return { accepted, refused }
})

/** Those that no signing secret opens. Changes nothing. */
export const unopened: Effect.Effect<ReadonlyArray<WebhookId>, never, WebhookStore | Encryption> = Effect.gen(
  function* () {
    const seal = yield* Encryption
    const { refused } = yield* visitAll((id, sealed) => Effect.map(seal.open(sealedFor(id), sealed), Option.isSome))
    return refused
  }
)

/** Safe to repeat and to break off. */
export const resealAll: Effect.Effect<Resealed, never, WebhookStore | Encryption> = Effect.gen(function* () {
  const store = yield* WebhookStore
  const seal = yield* Encryption

  const reseal = Effect.fnUntraced(function* (id: WebhookId, sealed: string) {
    const secret = yield* seal.open(sealedFor(id), sealed)
    if (Option.isNone(secret)) return false
    yield* store.reseal(id, { from: sealed, to: yield* seal.seal(sealedFor(id), secret.value) })
    return true
  })

  const { accepted, refused } = yield* visitAll(reseal)
  return { resealed: accepted, lost: refused }
})
