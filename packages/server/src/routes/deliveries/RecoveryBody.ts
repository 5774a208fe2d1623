/**
 * Validates the body of POST /webhooks/{id}/recover. The validation includes rules that the schema cannot express, so
 * that one response reports all problems.
 */
import { RecoverWebhookBody } from "@partner-commentary/api/DeliveriesApi"
import type { RequestProblem } from "@partner-commentary/api/Errors"
import type { InvalidRecoveryPeriod } from "@partner-commentary/core/webhook/WebhookRecovery"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { makeJsonBodyDecoder } from "../../http/Body.ts"
import { findBodyTimeProblems, parseBodyTime } from "../../http/BodyTime.ts"

const decode = makeJsonBodyDecoder(RecoverWebhookBody, ({ since, until }) => [
  ...findBodyTimeProblems("since", since),
  ...findBodyTimeProblems("until", until)
])

export const decodeRecoveryBody = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.map(decode(request), ({ dry_run = false, since, until }) => ({
    isDryRun: dry_run,
    period: { since: parseBodyTime(since, "up") ?? 0, until: until === undefined ? null : parseBodyTime(until, "up") }
  }))

export const recoveryPeriodProblems: Readonly<Record<InvalidRecoveryPeriod["reason"], RequestProblem>> = {
  too_early: { field: "since", constraint: "must lie within the last 30 days: older events are gone" },
  backwards: { field: "since", constraint: "must be before until, which is now unless it is given" }
}
