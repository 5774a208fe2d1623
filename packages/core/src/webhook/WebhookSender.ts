/**
 * Signs one event and sends it to a receiver once. A failed attempt is a return value, not an error, and the caller
 * decides about a retry.
 */
import * as Cache from "effect/Cache"
import * as Cause from "effect/Cause"
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
import * as LogContext from "../shared/LogContext.ts"
import { Policy } from "../shared/Policy.ts"
import { type DeliveryAttempt, isSuccessStatus } from "./Attempt.ts"
import { type FormerWebhookSecret, makeSecretEncryptionPurpose } from "./WebhookSecret.ts"
import { sign } from "./WebhookSignature.ts"
import { NoWebhookResponse, type WebhookResponse, WebhookTransport } from "./WebhookTransport.ts"

export interface OutgoingEvent {
  readonly webhook: { readonly id: WebhookId; readonly url: string }
  /** The webhook's encrypted secret; null when the webhook was removed. */
  readonly encryptedSecret: string | null
  readonly formerSecret: FormerWebhookSecret | null
  /** The event id `evt_…` or `evt_test_…`, which is the same for every attempt. */
  readonly eventId: string
  /** The payload, which is sent byte for byte. */
  readonly payload: string
  /** Returns the event's organization, topic and assignment for log lines. */
  readonly logContext: () => LogContext.LogContext
}

export type SendEvent = (parcel: OutgoingEvent) => Effect.Effect<DeliveryAttempt>

/** Makes the function that sends one event. An interruption does not stop the decryption of a secret. */
export const make: Effect.Effect<SendEvent, never, Mac.Mac | Encryption | WebhookTransport> = Effect.gen(function* () {
  const mac = yield* Mac.Mac
  const encryption = yield* Encryption
  const transport = yield* WebhookTransport
  const { timeout } = (yield* Policy).webhooks

  /**
   * The cache avoids decrypting the secret in each attempt. The decryption of a secret costs more than the rest of a
   * delivery attempt. The cache key contains the ciphertext, so a re-encrypted secret cannot hit a stale entry.
   */
  const decrypted = yield* Cache.makeWith(
    (encrypted: EncryptedSecret) =>
      Effect.uninterruptible(
        Effect.map(
          encryption.decrypt(makeSecretEncryptionPurpose(encrypted.id), encrypted.text),
          Option.map(Redacted.make)
        )
      ),
    {
      capacity: maxCachedSecrets,
      timeToLive: (exit) => (Exit.isSuccess(exit) && Option.isSome(exit.value) ? "1 hour" : 0)
    }
  )

  return Effect.fn("Webhook.send")(function* ({
    eventId,
    payload,
    encryptedSecret,
    formerSecret,
    logContext,
    webhook
  }) {
    // Read the monotonic clock before the wall clock, so that the recorded start plus the recorded duration is not
    // before the response.
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
        Effect.andThen(
          Effect.annotateLogs(unexpected(defect), LogContext.formatLogContextAttributes(logContext(), "_")),
          broken
        )
      )
    )
    // Measure with the monotonic clock, because the wall clock may be adjusted during the request.
    const took = (yield* Clock.monotonicTimeNanos) - begun
    return { at, duration: Math.round(Number(took) / 1e6), ...outcomeOf(sent) }
  })
})

/** The maximum number of decrypted secrets in the cache. */
const maxCachedSecrets = 1000

class EncryptedSecret extends Data.Class<{ readonly id: WebhookId; readonly text: string }> {}

const nothing = { status: null, excerpt: null, retryAfter: null }

const unsigned = {
  failure: "unsigned",
  reason: "The webhook's secret cannot be read at the moment, so nothing was sent."
} as const

const unexpected = (defect: unknown) => Effect.logError("The webhook transport failed unexpectedly", Cause.die(defect))

const broken = Effect.fail(new NoWebhookResponse({ failure: "reset", reason: "The connection broke." }))

const outcomeOf = (
  sent: Result.Result<WebhookResponse, NoWebhookResponse>
): Omit<DeliveryAttempt, "at" | "duration"> => {
  if (Result.isFailure(sent)) return { ...nothing, failure: sent.failure.failure, reason: sent.failure.reason }
  const { excerpt, retryAfter, status } = sent.success
  const answered = { status, excerpt, retryAfter }
  return isSuccessStatus(status)
    ? { ...answered, failure: null, reason: null }
    : { ...answered, failure: "http", reason: `The receiver answered with status ${status}, which is not a success.` }
}
