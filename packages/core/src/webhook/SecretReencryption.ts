/**
 * Re-encrypts all webhook secrets with the first signing secret of the service, so that its other signing secrets can
 * be removed. Also finds webhook secrets that no signing secret can decrypt.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Encryption } from "../shared/Encryption.ts"
import type { WebhookId } from "../shared/Ids.ts"
import { makeSecretEncryptionPurpose } from "./WebhookSecret.ts"
import { WebhookStore } from "./WebhookStore.ts"

export interface SecretReencryptionResult {
  readonly resealed: number
  /**
   * The webhooks whose secret cannot be decrypted with any signing secret. The service cannot sign events for a webhook
   * whose secret it cannot decrypt.
   */
  readonly lost: ReadonlyArray<WebhookId>
}

const pageSize = 100

/**
 * Calls the visitor for each secret. `refused` lists each webhook for whose secret the visitor returned false.
 * `accepted` is the number of secrets for which the visitor returned true.
 */
const visitAll = Effect.fnUntraced(function* <R>(
  visit: (id: WebhookId, encrypted: string) => Effect.Effect<boolean, never, R>
) {
  const store = yield* WebhookStore
  const refused: Array<WebhookId> = []
  let accepted = 0
  let page = yield* store.encryptedSecrets(null, pageSize)
  while (page.length > 0) {
    for (const { id, encryptedSecret } of page) {
      if (yield* visit(id, encryptedSecret)) accepted += 1
      else refused.push(id)
    }
    page = yield* store.encryptedSecrets(page.at(-1)?.id ?? null, pageSize)
  }
  return { accepted, refused }
})

/** Returns the webhooks whose secret no signing secret can decrypt. Changes nothing. */
export const findUndecryptableSecrets: Effect.Effect<
  ReadonlyArray<WebhookId>,
  never,
  WebhookStore | Encryption
> = Effect.gen(function* () {
  const encryption = yield* Encryption
  const { refused } = yield* visitAll((id, encrypted) =>
    Effect.map(encryption.decrypt(makeSecretEncryptionPurpose(id), encrypted), Option.isSome)
  )
  return refused
})

/** Re-encrypts every secret with the first signing secret. After an interruption, a second run is safe. */
export const reencryptWebhookSecrets: Effect.Effect<SecretReencryptionResult, never, WebhookStore | Encryption> =
  Effect.gen(function* () {
    const store = yield* WebhookStore
    const encryption = yield* Encryption

    const reencrypt = Effect.fnUntraced(function* (id: WebhookId, encrypted: string) {
      const secret = yield* encryption.decrypt(makeSecretEncryptionPurpose(id), encrypted)
      if (Option.isNone(secret)) return false
      yield* store.replaceSecret(id, {
        from: encrypted,
        to: yield* encryption.encrypt(makeSecretEncryptionPurpose(id), secret.value)
      })
      return true
    })

    const { accepted, refused } = yield* visitAll(reencrypt)
    return { resealed: accepted, lost: refused }
  })
