/**
 * Decodes JSON bodies with a schema. Each reported problem contains a field and the constraint that the field violates.
 */
import { InvalidRequest, type RequestProblem } from "@partner-commentary/api/Errors"
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import type { HttpServerError } from "effect/http/HttpServerError"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as JsonText from "./JsonText.ts"
import * as StrictJson from "./StrictJson.ts"

/** The maximum size of a request body in bytes. */
export const maxBodyBytes = 256 * 1024

/** The maximum size of a bulk request's body in bytes. */
export const maxBulkBodyBytes = 4 * 1024 * 1024

export const bodyTooLargeProblem: RequestProblem = {
  field: "body",
  constraint: `must be at most ${maxBodyBytes / 1024} KiB`
}

export const bulkBodyTooLargeProblem: RequestProblem = {
  field: "body",
  constraint: `must be at most ${maxBulkBodyBytes / 1024 / 1024} MiB`
}

/** Makes a decoder for request bodies. The parameters are the same as for `makeJsonTextDecoder`. */
export const makeJsonBodyDecoder = <Fields extends Schema.Struct.Fields>(
  ...rules: Parameters<typeof makeJsonTextDecoder<Fields>>
) => {
  const decode = makeJsonTextDecoder(...rules)
  return (request: HttpServerRequest.HttpServerRequest) =>
    Effect.flatMap(readJsonBodyText(request), (text) => Effect.mapError(decode(text), InvalidRequest.of))
}

/** Decodes an optional body. An empty body may have any content type. */
export const decodeOptionalBody =
  <A extends object>(
    decode: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<A, InvalidRequest>,
    absent: A
  ) =>
  (request: HttpServerRequest.HttpServerRequest): Effect.Effect<A, InvalidRequest> =>
    Effect.flatMap(Effect.orDie(request.arrayBuffer), ({ byteLength }) =>
      byteLength === 0 ? Effect.succeed(absent) : decode(request)
    )

/** Reads the text of a request body whose content type must be JSON. */
export const readJsonBodyText = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<string, InvalidRequest> => {
  const header = findHeaderProblem(request.headers)
  if (header !== undefined) return failWithInvalidRequest(header)
  return Effect.flatMap(Effect.orDie(readBody(request)), (text) => {
    const checked = Effect.fromResult(Result.mapError(text, (problem) => InvalidRequest.of([problem])))
    // Yield before a large body is parsed, so that one turn of the event loop does not parse several large bodies.
    return Result.isSuccess(text) && text.success.length > StrictJson.maxCodeUnitsPerStep
      ? Effect.andThen(Effect.yieldNow, checked)
      : checked
  })
}

type Problems = readonly [RequestProblem, ...ReadonlyArray<RequestProblem>]

/**
 * Decodes JSON text. A failure contains all problems of the body, in the order of the schema's fields. `further`
 * reports problems that the schema cannot express. The decoder calls `further` for every JSON object, even if the
 * schema rejects the object.
 */
export const makeJsonTextDecoder = <Fields extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields> & Schema.Codec<Schema.Struct<Fields>["Type"], unknown>,
  further: (body: Readonly<Record<string, unknown>>) => ReadonlyArray<RequestProblem> = () => []
) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  const order = Object.keys(schema.fields)
  const fields = new Set(order)
  const place = ({ field }: RequestProblem) => order.indexOf(/^[^.[]*/.exec(field)?.[0] ?? "")
  const read = (body: unknown): Result.Result<Schema.Struct<Fields>["Type"], Problems> => {
    if (!Predicate.isReadonlyObject(body)) return Result.fail([{ field: "body", constraint: "must be a JSON object" }])
    const long = order.find((field) => isLong((body as Readonly<Record<string, unknown>>)[field]))
    if (long !== undefined) return Result.fail([{ field: long, constraint: `must hold at most ${maxEntries} entries` }])
    const decoded = decode(body)
    const [first, ...rest] = [
      ...(Result.isFailure(decoded) ? convertSchemaIssueToProblems(decoded.failure.issue) : []),
      ...further(body as Readonly<Record<string, unknown>>)
    ].toSorted((one, other) => place(one) - place(other))
    if (first !== undefined) return Result.fail([first, ...rest.slice(0, maxProblems - 1)])
    return Result.mapError(decoded, ({ issue }) => convertSchemaIssueToProblems(issue))
  }
  /** A large JSON text is parsed in steps. */
  return Effect.fnUntraced(function* (text: string) {
    // Reject too many members before JSON.parse runs, because JSON.parse cannot yield. Parsing a member takes a
    // microsecond or more.
    if (JsonText.exceedsMemberLimit(text, maxMembers)) return yield* Effect.fail<Problems>([tooManyMembers])
    const json = yield* StrictJson.parseStrictJsonInSteps(text, fields)
    if (Result.isFailure(json)) return yield* Effect.fail<Problems>([json.failure])
    if (text.length > StrictJson.maxCodeUnitsPerStep) yield* Effect.yieldNow
    return yield* Effect.fromResult(read(json.success))
  })
}

/**
 * The maximum number of object members in a body. Every valid body has fewer than 10,000 object members, because
 * metadata of 16 KiB has fewer than 8,192 members.
 */
const maxMembers = 10_000

const tooManyMembers: RequestProblem = { field: "body", constraint: "must have at most 10,000 members of objects" }

/** The maximum number of problems that a response reports. */
const maxProblems = 100

/**
 * The maximum number of entries in a list. A list above the limit is rejected before the service checks the list's
 * entries.
 */
const maxEntries = 1000

const isLong = (value: unknown): boolean => Array.isArray(value) && value.length > maxEntries

/** Returns all problems of a failed decoding. A problem that concerns the whole body has the field `body`. */
export const convertSchemaIssueToProblems = (issue: SchemaIssue.Issue): Problems => {
  const [first, ...rest] = format(issue).issues.map(({ message, path = [] }) => ({
    field: pathOf(path),
    constraint: constraintOf(message)
  }))
  return [first ?? { field: "body", constraint: "is invalid" }, ...rest]
}

export const failWithInvalidRequest = (...all: Problems) => Effect.fail(InvalidRequest.of(all))

export const findHeaderProblem = (headers: Headers.Headers): RequestProblem | undefined => {
  if (!isJson(headers["content-type"] ?? "")) {
    return { field: "content-type", constraint: "must be application/json, in UTF-8" }
  }
  const encoding = headers["content-encoding"] ?? "identity"
  return encoding.trim().toLowerCase() === "identity"
    ? undefined
    : { field: "content-encoding", constraint: "must be left out: bodies are read as they are sent" }
}

/**
 * Unknown parameters of the media type are ignored, as the registration of `application/json` requires. A `charset`
 * parameter must be UTF-8.
 */
const isJson = (contentType: string): boolean => {
  if (contentType.length > maxContentType) return false
  const [type = "", ...parameters] = contentType.toLowerCase().split(";")
  return type.trim() === "application/json" && parameters.every(isHarmless)
}

/** The maximum length of an accepted content type, in characters. */
const maxContentType = 256

const isHarmless = (parameter: string): boolean => {
  const [name = "", ...values] = parameter.split("=")
  return name.trim() !== "charset" || utf8Names.has(values.join("=").trim())
}

const utf8Names = new Set(["utf-8", "utf8", '"utf-8"', '"utf8"'])

/** Fails when the request body is incomplete or too large. For invalid UTF-8, the result contains a problem. */
export const readBody = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<Result.Result<string, RequestProblem>, HttpServerError> =>
  Effect.map(request.arrayBuffer, (bytes) =>
    Result.try({
      try: () => utf8.decode(bytes),
      catch: (): RequestProblem => ({ field: "body", constraint: "must be UTF-8" })
    })
  )

const utf8 = new TextDecoder("utf-8", { fatal: true })

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => (issue._tag === "MissingKey" ? "is required" : SchemaIssue.defaultLeafHook(issue))
})

/** Turns Effect's default message into a constraint, without the value that the client submitted. */
const constraintOf = (message: string): string =>
  message.startsWith("Expected ")
    ? message
        .replace(/^Expected /, "must be ")
        .replace(/, got [\s\S]*$/, "")
        .replace(/ \| undefined$/, "")
        .replace(/^must be (string|object|array|integer|number|boolean)$/, "must be a $1")
        .replace(/ a (array|object|integer)$/, " an $1")
    : message

const pathOf = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string => {
  let text = ""
  for (const segment of path) {
    const key = typeof segment === "object" ? segment.key : segment
    text +=
      typeof key === "number" ? `[${key}]` : text === "" ? StrictJson.shortenKey(key) : `.${StrictJson.shortenKey(key)}`
  }
  return text === "" ? "body" : text
}
