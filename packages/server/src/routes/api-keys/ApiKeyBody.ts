/**
 * Validates the request bodies of API-key operations. The validation includes rules that the schemas cannot express, so
 * that one response reports all problems.
 */
import { ChangeApiKeyBody, CreateApiKeyBody, RotateApiKeyBody } from "@partner-commentary/api/ApiKeysApi"
import type { RequestProblem } from "@partner-commentary/api/Errors"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { hasVisibleCharacter } from "@partner-commentary/core/shared/Text"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { decodeOptionalBody, makeJsonBodyDecoder, makeJsonTextDecoder } from "../../http/Body.ts"

export const decodeApiKeyCreation = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.flatMap(Instant.now, (now) => makeJsonBodyDecoder(CreateApiKeyBody, further(now))(request))

/** Decodes the JSON text of one new API key. */
export const decodeApiKeyCreationText = (text: string) =>
  Effect.flatMap(Instant.now, (now) => makeJsonTextDecoder(CreateApiKeyBody, further(now))(text))

const further =
  (now: Instant.Instant) =>
  ({ expires_at, name }: Readonly<Record<string, unknown>>): ReadonlyArray<RequestProblem> => [
    ...(Predicate.isString(name) && name !== "" ? nameProblems(name) : []),
    ...(Predicate.isString(expires_at) ? expiryProblems(expires_at, now) : [])
  ]

/**
 * Rejects fields that a change cannot set. If unchangeable fields were ignored, a caller would believe that the fields
 * took effect.
 */
const changeProblems = (body: Readonly<Record<string, unknown>>): ReadonlyArray<RequestProblem> => [
  ...(Predicate.isString(body["name"]) && body["name"] !== "" ? nameProblems(body["name"]) : []),
  ...["scopes", "environment", "expires_at"]
    .filter((field) => field in body)
    .map((field) => ({ field, constraint: "must be left out, for it cannot be changed: create a new key" }))
]

export const decodeApiKeyChange = makeJsonBodyDecoder(ChangeApiKeyBody, changeProblems)

export const decodeApiKeyChangeText = makeJsonTextDecoder(ChangeApiKeyBody, changeProblems)

const nameProblems = (name: string): ReadonlyArray<RequestProblem> => {
  if (/[\p{Cc}\u2028\u2029]/u.test(name)) {
    return [{ field: "name", constraint: "must be one line, without control characters" }]
  }
  return hasVisibleCharacter(name) ? [] : [{ field: "name", constraint: "must hold something that can be read" }]
}

const expiryProblems = (text: string, now: Instant.Instant): ReadonlyArray<RequestProblem> =>
  Option.match(Instant.parse(text), {
    onNone: () => [
      { field: "expires_at", constraint: "must be an ISO 8601 moment with a time zone, such as 2027-01-30T12:00:00Z" }
    ],
    onSome: (moment) => (moment > now ? [] : [{ field: "expires_at", constraint: "must lie in the future" }])
  })

/** Decodes the body of a request that rotates an API key. All fields and the body itself are optional. */
export const decodeApiKeyRotation = decodeOptionalBody(makeJsonBodyDecoder(RotateApiKeyBody), {})

export const decodeApiKeyRotationText = makeJsonTextDecoder(RotateApiKeyBody)
