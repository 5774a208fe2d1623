/**
 * Validates the bodies of POST and PATCH /webhooks. The validation includes rules that the schemas cannot express, so
 * that one response reports all problems.
 */
import type { RequestProblem } from "@partner-commentary/api/Errors"
import { ChangeWebhookBody, RegisterWebhookBody, RotateWebhookSecretBody } from "@partner-commentary/api/WebhooksApi"
import { findWebhookSecretProblem, webhookSecretPattern } from "@partner-commentary/core/webhook/WebhookSecret"
import {
  findWebhookUrlProblem,
  maxWebhookUrlLength,
  webhookUrlPattern
} from "@partner-commentary/core/webhook/WebhookUrl"
import * as Predicate from "effect/Predicate"
import { decodeOptionalBody, makeJsonBodyDecoder, makeJsonTextDecoder } from "../../http/Body.ts"

const ofRegistration = ({ secret, url }: Readonly<Record<string, unknown>>): ReadonlyArray<RequestProblem> => [
  ...urlProblems(url),
  ...secretProblems(secret)
]

/** Validates a secret, but skips values that the schema already rejects. */
const secretProblems = (secret: unknown): ReadonlyArray<RequestProblem> =>
  Predicate.isString(secret) && webhookSecretPattern.test(secret)
    ? problemOf("secret", findWebhookSecretProblem(secret))
    : []

export const decodeWebhookRegistration = makeJsonBodyDecoder(RegisterWebhookBody, ofRegistration)

/** Decodes the body of a request that rotates a webhook's secret. All fields and the body itself are optional. */
export const decodeSecretRotation = decodeOptionalBody(
  makeJsonBodyDecoder(RotateWebhookSecretBody, ({ secret }) => secretProblems(secret)),
  {}
)

/** Decodes the JSON text of one new webhook. */
export const decodeWebhookRegistrationJson = makeJsonTextDecoder(RegisterWebhookBody, ofRegistration)

/**
 * Returns a problem if the change of a webhook contains a `secret`. If the service ignored the secret like other
 * unknown fields, the partner would expect that the secret takes effect.
 */
const ofChange = (body: Readonly<Record<string, unknown>>): ReadonlyArray<RequestProblem> => [
  ...urlProblems(body["url"]),
  ...("secret" in body
    ? problemOf("secret", "must be left out, for it cannot be changed: POST …/rotate-secret replaces it")
    : [])
]

export const decodeWebhookChange = makeJsonBodyDecoder(ChangeWebhookBody, ofChange)

/** Decodes the JSON text of one change to a webhook. */
export const decodeWebhookChangeJson = makeJsonTextDecoder(ChangeWebhookBody, ofChange)

/** Validates a URL, but skips values that the schema already rejects. */
const urlProblems = (url: unknown): ReadonlyArray<RequestProblem> =>
  Predicate.isString(url) && url.length <= maxWebhookUrlLength && webhookUrlPattern.test(url)
    ? problemOf("url", findWebhookUrlProblem(url))
    : []

const problemOf = (field: string, constraint: string | null): ReadonlyArray<RequestProblem> =>
  constraint === null ? [] : [{ field, constraint }]
