/**
 * Validates the body of POST /webhooks/{id}/recover, including rules that its schema cannot express, so that one
 * response reports all problems.
 */
import { RecoverWebhook } from "@partner-commentary/api/DeliveriesApi"
import type { Problem } from "@partner-commentary/api/Errors"
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { SpanRefused } from "@partner-commentary/core/webhook/WebhookRecovery"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { bodyDecoder } from "../../http/Body.ts"

const decode = bodyDecoder(RecoverWebhook, ({ since, until }) => [
  ...momentProblems("since", since),
  ...momentProblems("until", until)
])

export const decodeRecovery = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.map(decode(request), ({ dry_run = false, since, until }) => ({
    isDryRun: dry_run,
    span: { since: moment(since) ?? 0, until: until === undefined ? null : moment(until) }
  }))

export const spanProblems: Readonly<Record<SpanRefused["reason"], Problem>> = {
  too_early: { field: "since", constraint: "must lie within the last 30 days: older events are gone" },
  backwards: { field: "since", constraint: "must be before until, which is now unless it is given" }
}

const moment = (text: string): Instant.Instant | null => Option.getOrNull(Instant.parse(text))

/** Values that the schema already rejects are skipped. */
const momentProblems = (field: string, value: unknown): ReadonlyArray<Problem> =>
  Predicate.isString(value) && moment(value) === null
    ? [{ field, constraint: "must be an ISO 8601 moment with a time zone, such as 2026-01-30T12:00:00Z" }]
    : []
