/** What came with an action, as a form or as JSON: a few named texts. What they must look like is decided where they are used. */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import type { HttpServerError } from "effect/http/HttpServerError"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as StrictJson from "../StrictJson.ts"

/** Absent, and null in JSON, are the same. */
export type Fields = Readonly<Partial<Record<FieldName, string>>>
export type FieldName = (typeof fieldNames)[number]

const fieldNames = ["perspective", "reason", "draft_id", "content", "instructions"] as const

/** Something about the request cannot be read. */
export class Malformed extends Schema.TaggedError<Malformed>()("Malformed", {
  field: Schema.String,
  constraint: Schema.String
}) {}

const maxBodySize = ByteSize.kibibytes(256)

const form = "application/x-www-form-urlencoded"

/** The media type alone. */
export const mediaType = (request: HttpServerRequest): string =>
  (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""

export const read = (request: HttpServerRequest): Effect.Effect<Fields, Malformed> =>
  Effect.provideService(readAs(request, mediaType(request)), HttpIncomingMessage.MaxBodySize, maxBodySize)

const readAs = (request: HttpServerRequest, type: string): Effect.Effect<Fields, Malformed> => {
  if (type === form) return Effect.mapError(Effect.map(request.urlParamsBody, fromForm), unreadable)
  const text = Effect.mapError(request.text, unreadable)
  if (type === "application/json") return Effect.flatMap(text, (json) => Effect.fromResult(fromJson(json)))
  const neither = new Malformed({ field: "content-type", constraint: `must be application/json or ${form}` })
  return type === "" ? Effect.flatMap(text, (body) => (body === "" ? Effect.succeed({}) : neither)) : neither
}

const fromForm = (params: UrlParams.UrlParams): Fields => {
  const fields: Partial<Record<FieldName, string>> = {}
  for (const name of fieldNames) {
    const value = UrlParams.getFirst(params, name)
    if (value._tag === "Some") fields[name] = value.value
  }
  return fields
}

const fromJson = (json: string): Result.Result<Fields, Malformed> => {
  const parsed =
    json === "" ? Result.succeed({}) : Result.mapError(StrictJson.parse(json), (problem) => new Malformed(problem))
  return Result.flatMap(parsed, (body) => {
    if (typeof body !== "object" || body === null || Array.isArray(body)) {
      return Result.fail(new Malformed({ field: "body", constraint: "must be a JSON object" }))
    }
    const fields: Partial<Record<FieldName, string>> = {}
    for (const name of fieldNames) {
      const value = (body as Readonly<Record<string, unknown>>)[name] ?? null
      if (typeof value === "string") fields[name] = value
      else if (value !== null) return Result.fail(new Malformed({ field: name, constraint: "must be a string" }))
    }
    return Result.succeed(fields)
  })
}

/** Only the kind of failure is kept: its message would name the address, and with it the token. */
const unreadable = ({ reason }: HttpServerError): Malformed => {
  const tooLarge = reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
  return new Malformed({ field: "body", constraint: tooLarge ? "must be at most 256 KiB" : "cannot be read" })
}
