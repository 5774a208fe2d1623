/**
 * Re-encrypts all webhook secrets with the first signing secret, so that the others can be removed, and finds secrets
 * that no key decrypts.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Encryption } from "../shared/Encryption.ts"
import type { WebhookId } from "../shared/Ids.ts"
import { sealedFor } from "./WebhookSecret.ts"
import { WebhookStore } from "./WebhookStore.ts"

export interface Resealed {
  readonly resealed: number
  /** Webhooks whose secret no signing secret decrypts. Their events cannot be signed. */
  readonly lost: ReadonlyArray<WebhookId>
}

const pageSize = 100

/** The webhooks for which the visitor returns false, and the number of the others. */
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

/** Webhooks whose secret no signing secret decrypts. Changes nothing. */
export const unopened: Effect.Effect<ReadonlyArray<WebhookId>, never, WebhookStore | Encryption> = Effect.gen(
  function* () {
    const seal = yield* Encryption
    const { refused } = yield* visitAll((id, sealed) => Effect.map(seal.open(sealedFor(id), sealed), Option.isSome))
    return refused
  }
)

/** Can be interrupted and repeated. */
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
