/**
 * Validates the bodies of POST and PATCH /webhooks, including rules that their schemas cannot express, so that one
 * response reports all problems.
 */
import type { Problem } from "@partner-commentary/api/Errors"
import { ChangeWebhook, RegisterWebhook, RotateWebhookSecret } from "@partner-commentary/api/WebhooksApi"
import { secretPattern, secretProblem } from "@partner-commentary/core/webhook/WebhookSecret"
import { maxUrlLength, urlPattern, urlProblem } from "@partner-commentary/core/webhook/WebhookUrl"
import * as Predicate from "effect/Predicate"
import { bodyDecoder, decodeOptionalBody, textDecoder } from "../../http/Body.ts"

const ofRegistration = ({ secret, url }: Readonly<Record<string, unknown>>): ReadonlyArray<Problem> => [
  ...urlProblems(url),
  ...secretProblems(secret)
]

/** Values that the schema already rejects are skipped. */
const secretProblems = (secret: unknown): ReadonlyArray<Problem> =>
  Predicate.isString(secret) && secretPattern.test(secret) ? problemOf("secret", secretProblem(secret)) : []

export const decodeRegistration = bodyDecoder(RegisterWebhook, ofRegistration)

/** All fields and the body itself are optional. */
export const decodeRotation = decodeOptionalBody(
  bodyDecoder(RotateWebhookSecret, ({ secret }) => secretProblems(secret)),
  {}
)

/** Decodes the JSON text of one webhook. */
export const decodeRegistrationText = textDecoder(RegisterWebhook, ofRegistration)

/**
 * A secret is rejected explicitly: if it were ignored like other unknown fields, the partner would expect the service
 * to use it.
 */
const ofChange = (body: Readonly<Record<string, unknown>>): ReadonlyArray<Problem> => [
  ...urlProblems(body["url"]),
  ...("secret" in body
    ? problemOf("secret", "must be left out, for it cannot be changed: POST …/rotate-secret replaces it")
    : [])
]

export const decodeChange = bodyDecoder(ChangeWebhook, ofChange)

/** Decodes the JSON text of one change. */
export const decodeChangeText = textDecoder(ChangeWebhook, ofChange)

/** Values that the schema already rejects are skipped. */
const urlProblems = (url: unknown): ReadonlyArray<Problem> =>
  Predicate.isString(url) && url.length <= maxUrlLength && urlPattern.test(url) ? problemOf("url", urlProblem(url)) : []

const problemOf = (field: string, constraint: string | null): ReadonlyArray<Problem> =>
  constraint === null ? [] : [{ field, constraint }]
