/** Seals every webhook's secret anew under the first signing secret, so that the others can be dropped. Safe to repeat and to break off. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { WebhookId } from "../shared/Ids.ts"
import { Seal } from "../shared/Seal.ts"
import { sealedFor } from "./WebhookSecret.ts"
import { WebhookStore } from "./WebhookStore.ts"

export interface Resealed {
  readonly resealed: number
  /** Those that no signing secret opens: nothing can be signed for them any more. */
  readonly lost: ReadonlyArray<WebhookId>
}

const pageSize = 100

export const resealAll: Effect.Effect<Resealed, never, WebhookStore | Seal> = Effect.gen(function* () {
  const store = yield* WebhookStore
  const seal = yield* Seal

  const reseal = Effect.fnUntraced(function* (id: WebhookId, sealed: string) {
    const secret = yield* seal.open(sealedFor(id), sealed)
    if (Option.isNone(secret)) return false
    yield* store.reseal(id, { from: sealed, to: yield* seal.seal(sealedFor(id), secret.value) })
    return true
  })

  const lost: Array<WebhookId> = []
  let resealed = 0
  let page = yield* store.sealedSecrets(null, pageSize)
  while (page.length > 0) {
    for (const { id, sealedSecret } of page) {
      if (yield* reseal(id, sealedSecret)) resealed += 1
      else lost.push(id)
    }
    page = yield* store.sealedSecrets(page.at(-1)?.id ?? null, pageSize)
  }
  return { resealed, lost }
})
