/** Reads the bodies of POST and PATCH /webhooks: what their schemas cannot say is said here, so that all that is wrong is told at once. */
import type { Problem } from "@partner-commentary/api/Errors"
import { ChangeWebhook, RegisterWebhook } from "@partner-commentary/api/WebhooksApi"
import { secretPattern, secretProblem } from "@partner-commentary/core/webhook/WebhookSecret"
import { maxUrlLength, urlPattern, urlProblem } from "@partner-commentary/core/webhook/WebhookUrl"
import * as Predicate from "effect/Predicate"
import { decoder } from "../../http/Body.ts"

export const decodeRegistration = decoder(RegisterWebhook, ({ secret, url }) => [
  ...urlProblems(url),
  ...(Predicate.isString(secret) && secretPattern.test(secret) ? told("secret", secretProblem(secret)) : [])
])

/** A secret that is not taken would be believed to be in force, so it is not ignored as other unknown fields are. */
export const decodeChange = decoder(ChangeWebhook, (body) => [
  ...urlProblems(body["url"]),
  ...("secret" in body
    ? told("secret", "must be left out, for it cannot be changed: register a new webhook for a new secret")
    : [])
])

/** What the schema finds is not told twice. */
const urlProblems = (url: unknown): ReadonlyArray<Problem> =>
  Predicate.isString(url) && url.length <= maxUrlLength && urlPattern.test(url) ? told("url", urlProblem(url)) : []

const told = (field: string, constraint: string | null): ReadonlyArray<Problem> =>
  constraint === null ? [] : [{ field, constraint }]
