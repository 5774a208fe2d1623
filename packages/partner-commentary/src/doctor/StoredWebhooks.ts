/**
 * Checks webhooks for overdue deliveries, for disabled webhooks, and for webhook secrets that none of the configured
 * signing secrets can decrypt. The checks of webhooks change no data.
 */
import * as Instant from "@partner-commentary/core/shared/Instant"
import { DeliveryStore } from "@partner-commentary/core/webhook/DeliveryStore"
import { findUndecryptableSecrets } from "@partner-commentary/core/webhook/SecretReencryption"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { DoctorAdvice } from "./Advice.ts"
import { makeMendFinding, makeNoticeFinding, makeOkFinding } from "./Finding.ts"
import { maxCountedProblems, overdueThreshold } from "./StoredWork.ts"

/**
 * Checks for overdue deliveries. Overdue deliveries are only a notice, because the cause may be a partner's slow
 * receiver.
 */
export const diagnoseOverdueDeliveries = Effect.fnUntraced(function* (advice: DoctorAdvice) {
  const due = yield* (yield* DeliveryStore).nextDue
  const now = yield* Instant.now
  return Option.exists(due, (at) => Instant.plus(at, overdueThreshold.duration) < now)
    ? makeNoticeFinding(
        "deliveries",
        `An event has been due to an active webhook for more than ${overdueThreshold.text}: no worker runs, or its receiver is slower than its events; ${advice.slowReceivers}.`
      )
    : makeOkFinding("deliveries", "None is overdue.")
})

/**
 * Checks for disabled webhooks. Only the partner can repair the receiver, but the operator may have to inform the
 * partner.
 */
export const diagnoseDisabledWebhooks = Effect.fnUntraced(function* (advice: DoctorAdvice) {
  const check = "disabled webhooks"
  const { disabled: count } = yield* (yield* DeliveryStore).backlog(yield* Instant.now, maxCountedProblems)
  if (count === 0) return makeOkFinding(check, "None is disabled.")
  const subject =
    count === 1
      ? "One webhook is disabled"
      : `${count === maxCountedProblems ? "At least " : ""}${count} webhooks are disabled`
  return { ...makeNoticeFinding(check, `${subject}: ${advice.disabledWebhooks}.`), count }
})

/** Returns a text such as `the secret of one webhook` or `the secrets of 2 webhooks`. */
export const formatSecretCount = (count: number): string =>
  count === 1 ? "the secret of one webhook" : `the secrets of ${count} webhooks`

/**
 * Checks that all webhook secrets can be decrypted. `holder` is the name of the setting that contains the signing
 * secrets.
 */
export const diagnoseUndecryptableSecrets = Effect.fnUntraced(function* (advice: DoctorAdvice, holder: string) {
  const { length } = yield* findUndecryptableSecrets
  if (length === 0) return makeOkFinding("webhooks", "All webhook secrets can be decrypted.")
  const message =
    `No entry of ${holder} decrypts ${formatSecretCount(length)}, so that events cannot be signed: ` +
    `${advice.lostSecrets}; if it is lost, partners must register the webhook again.`
  return { ...makeMendFinding("webhooks", message), count: length }
})
