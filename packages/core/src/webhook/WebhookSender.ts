/**
 * Signs one event and sends the event to a receiver once. A failed attempt is a result, not an error. The caller
 * decides what happens next.
 */
import * as Cache from "effect/Cache"
import * as Clock from "effect/Clock"
import * as Mac from "effect/crypto/Mac"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { Encryption } from "../shared/Encryption.ts"
import type { WebhookId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import { Policy } from "../shared/Policy.ts"
import * as Subject from "../shared/Subject.ts"
import { type Attempt, isSuccess } from "./Attempt.ts"
import { encryptionPurpose, type FormerSecret } from "./WebhookSecret.ts"
import { sign } from "./WebhookSignature.ts"
import { type WebhookAnswer, WebhookNotSent, WebhookTransport } from "./WebhookTransport.ts"

export interface OutgoingEvent {
  readonly webhook: { readonly id: WebhookId; readonly url: string }
  /** The encrypted secret from the database; null when the webhook was removed. */
  readonly encryptedSecret: string | null
  readonly formerSecret: FormerSecret | null
  /** The event's id, `evt_…` or `evt_test_…`, is the same on every attempt. */
  readonly eventId: string
  /** The payload, which the service sends byte for byte. */
  readonly payload: string
  /** Describes the event for log lines. */
  readonly subject: () => Subject.LogSubject
}

export type Send = (parcel: OutgoingEvent) => Effect.Effect<Attempt>

/** Creates the function that sends events. An interruption can stop only the network call. */
export const make: Effect.Effect<Send, never, Mac.Mac | Encryption | WebhookTransport> = Effect.gen(function* () {
  const mac = yield* Mac.Mac
  const encryption = yield* Encryption
  const transport = yield* WebhookTransport
  const { timeout } = (yield* Policy).webhooks

  /**
   * The cache avoids decryption, the most expensive part of an attempt. A re-encrypted secret has another cache key, so
   * the sender never uses an outdated entry.
   */
  const decrypted = yield* Cache.makeWith(
    (encrypted: EncryptedSecret) =>
      Effect.uninterruptible(
        Effect.map(encryption.decrypt(encryptionPurpose(encrypted.id), encrypted.text), Option.map(Redacted.make))
      ),
    {
      capacity: maxCachedSecrets,
      timeToLive: (exit) => (Exit.isSuccess(exit) && Option.isSome(exit.value) ? "1 hour" : 0)
    }
  )

  return Effect.fn("Webhook.send")(function* ({ eventId, payload, encryptedSecret, formerSecret, subject, webhook }) {
    // Read the monotonic clock first, so that `at` plus the duration is never earlier than the response.
    const begun = yield* Clock.monotonicTimeNanos
    const at = yield* Instant.now
    const open = (text: string | null) =>
      text === null ? Effect.succeedNone : Cache.get(decrypted, new EncryptedSecret({ id: webhook.id, text }))
    const secret = yield* open(encryptedSecret)
    if (Option.isNone(secret)) return { at, duration: 0, ...nothing, ...unsigned }
    const former = yield* open(formerSecret !== null && at < formerSecret.until ? formerSecret.encrypted : null)
    const signature = yield* sign(mac, [secret.value, ...Option.toArray(former)], { id: eventId, at, body: payload })
    const headers = { "content-type": "application/json", "user-agent": "Partner-Commentary", ...signature }
    const sent = yield* Effect.result(
      Effect.catchDefect(transport.send({ url: webhook.url, headers, body: payload, timeout }), (defect) =>
        Effect.andThen(Effect.annotateLogs(unexpected(defect), Subject.subjectAttributes(subject(), "_")), broken)
      )
    )
    // Measure the duration with the monotonic clock, because the wall clock may be adjusted during the request.
    const took = (yield* Clock.monotonicTimeNanos) - begun
    return { at, duration: Math.round(Number(took) / 1e6), ...outcomeOf(sent) }
  })
})

/** Maximum number of decrypted secrets that the cache holds. */
const maxCachedSecrets = 1000

class EncryptedSecret extends Data.Class<{ readonly id: WebhookId; readonly text: string }> {}

const nothing = { status: null, excerpt: null, retryAfter: null }

const unsigned = {
  failure: "unsigned",
  reason: "The webhook's secret cannot be read at the moment, so nothing was sent."
} as const

const unexpected = (defect: unknown) => Effect.logError("The webhook transport failed unexpectedly", defect)

const broken = Effect.fail(new WebhookNotSent({ failure: "reset", reason: "The connection broke." }))

const outcomeOf = (sent: Result.Result<WebhookAnswer, WebhookNotSent>): Omit<Attempt, "at" | "duration"> => {
  if (Result.isFailure(sent)) return { ...nothing, failure: sent.failure.failure, reason: sent.failure.reason }
  const { excerpt, retryAfter, status } = sent.success
  const answered = { status, excerpt, retryAfter }
  return isSuccess(status)
    ? { ...answered, failure: null, reason: null }
    : { ...answered, failure: "http", reason: `The receiver answered with status ${status}, which is not a success.` }
}
