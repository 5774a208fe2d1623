/** Reads a request's JSON body by a schema: every problem is answered with its field and a constraint that a person can act on. */
import { InvalidRequest, type Problem } from "@partner-commentary/api/Errors"
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import type { HttpServerError } from "effect/http/HttpServerError"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as StrictJson from "./StrictJson.ts"

/** In bytes. */
export const maxBodySize = 256 * 1024

/** Of a body that holds many topics. */
export const maxBulkSize = 4 * 1024 * 1024

export const bodyTooLarge: Problem = { field: "body", constraint: `must be at most ${maxBodySize / 1024} KiB` }

export const bulkTooLarge: Problem = { field: "body", constraint: `must be at most ${maxBulkSize / 1024 / 1024} MiB` }

/** Reads a request's body by a schema. What the schema does not say is told by `further`, as `textDecoder` says. */
export const decoder = <Fields extends Schema.Struct.Fields>(...rules: Parameters<typeof textDecoder<Fields>>) => {
  const decode = textDecoder(...rules)
  return (request: HttpServerRequest.HttpServerRequest) =>
    Effect.flatMap(jsonText(request), (text) => Effect.mapError(decode(text), InvalidRequest.of))
}

/** Of a body that may be left out: no byte at all, whatever the header says of it. */
export const optional =
  <A extends object>(
    decode: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<A, InvalidRequest>,
    absent: A
  ) =>
  (request: HttpServerRequest.HttpServerRequest): Effect.Effect<A, InvalidRequest> =>
    Effect.flatMap(Effect.orDie(request.arrayBuffer), ({ byteLength }) =>
      byteLength === 0 ? Effect.succeed(absent) : decode(request)
    )

/** The text of a body that says it is JSON. */
export const jsonText = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string, InvalidRequest> => {
  const header = headerProblem(request.headers)
  if (header !== undefined) return invalid(header)
  return Effect.flatMap(Effect.orDie(read(request)), (text) => {
    const checked = Effect.fromResult(Result.mapError(text, (problem) => InvalidRequest.of([problem])))
    // Bodies arrive in any turn: several large ones are not read in one.
    return Result.isSuccess(text) && text.success.length > StrictJson.unitsAtOnce
      ? Effect.andThen(Effect.yieldNow, checked)
      : checked
  })
}

type Problems = readonly [Problem, ...ReadonlyArray<Problem>]

/**
 * Fails with everything that is wrong, in the order of the schema's fields. What no schema says is told by `further`, which
 * sees every body that is an object, right or wrong.
 */
export const textDecoder = <Fields extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields> & Schema.Codec<Schema.Struct<Fields>["Type"], unknown>,
  further: (body: Readonly<Record<string, unknown>>) => ReadonlyArray<Problem> = () => []
) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  const order = Object.keys(schema.fields)
  const fields = new Set(order)
  const place = ({ field }: Problem) => order.indexOf(/^[^.[]*/.exec(field)?.[0] ?? "")
  const read = (body: unknown): Result.Result<Schema.Struct<Fields>["Type"], Problems> => {
    if (!Predicate.isReadonlyObject(body)) return Result.fail([{ field: "body", constraint: "must be a JSON object" }])
    const long = order.find((field) => isLong((body as Readonly<Record<string, unknown>>)[field]))
    if (long !== undefined) return Result.fail([{ field: long, constraint: `must hold at most ${maxEntries} entries` }])
    const decoded = decode(body)
    const [first, ...rest] = [
      ...(Result.isFailure(decoded) ? problems(decoded.failure.issue) : []),
      ...further(body as Readonly<Record<string, unknown>>)
    ].toSorted((one, other) => place(one) - place(other))
    if (first !== undefined) return Result.fail([first, ...rest.slice(0, maxProblems - 1)])
    return Result.mapError(decoded, ({ issue }) => problems(issue))
  }
  /** A large text in steps. */
  return Effect.fnUntraced(function* (text: string) {
    const json = yield* StrictJson.parseInSteps(text, fields)
    if (Result.isFailure(json)) return yield* Effect.fail<Problems>([json.failure])
    if (text.length > StrictJson.unitsAtOnce) yield* Effect.yieldNow
    return yield* Effect.fromResult(read(json.success))
  })
}

/** So many are listed: who has more will find them after mending these. */
const maxProblems = 100

/** No list has more: a longer one is not even looked into. */
const maxEntries = 1000

const isLong = (value: unknown): boolean => Array.isArray(value) && value.length > maxEntries

/** Every problem of a failed decoding; a problem with the whole is one of `body`. */
export const problems = (issue: SchemaIssue.Issue): Problems => {
  const [first, ...rest] = format(issue).issues.map(({ message, path = [] }) => ({
    field: pathOf(path),
    constraint: constraintOf(message)
  }))
  return [first ?? { field: "body", constraint: "is invalid" }, ...rest]
}

export const invalid = (...all: Problems) => Effect.fail(InvalidRequest.of(all))

export const headerProblem = (headers: Headers.Headers): Problem | undefined => {
  if (!isJson(headers["content-type"] ?? "")) {
    return { field: "content-type", constraint: "must be application/json, in UTF-8" }
  }
  const encoding = headers["content-encoding"] ?? "identity"
  return encoding.trim().toLowerCase() === "identity"
    ? undefined
    : { field: "content-encoding", constraint: "must be left out: bodies are read as they are sent" }
}

/**
 * Parameters of the media type that say nothing to us are ignored, as the media type's registration wants it; whatever names a
 * charset must name ours.
 */
const isJson = (contentType: string): boolean => {
  if (contentType.length > maxContentType) return false
  const [type = "", ...parameters] = contentType.toLowerCase().split(";")
  return type.trim() === "application/json" && parameters.every(isHarmless)
}

/** Nobody's media type is longer. */
const maxContentType = 256

const isHarmless = (parameter: string): boolean => {
  const [name = "", ...values] = parameter.split("=")
  return name.trim() !== "charset" || utf8Names.has(values.join("=").trim())
}

const utf8Names = new Set(["utf-8", "utf8", '"utf-8"', '"utf8"'])

/** Fails where the body was cut off or is too large; a body that is no UTF-8 is a problem to be told. */
export const read = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<Result.Result<string, Problem>, HttpServerError> =>
  Effect.map(request.arrayBuffer, (bytes) =>
    Result.try({
      try: () => utf8.decode(bytes),
      catch: (): Problem => ({ field: "body", constraint: "must be UTF-8" })
    })
  )

const utf8 = new TextDecoder("utf-8", { fatal: true })

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => (issue._tag === "MissingKey" ? "is required" : SchemaIssue.defaultLeafHook(issue))
})

/** What Effect says where a schema has no words of its own, as the rest of a sentence, and without what was sent. */
const constraintOf = (message: string): string =>
  message.startsWith("Expected ")
    ? message
        .replace(/^Expected /, "must be ")
        .replace(/, got [\s\S]*$/, "")
        .replace(/^must be (string|object|array|integer|number|boolean)$/, "must be a $1")
        .replace(/ a (array|object|integer)$/, " an $1")
    : message

const pathOf = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string => {
  let text = ""
  for (const segment of path) {
    const key = typeof segment === "object" ? segment.key : segment
    text +=
      typeof key === "number" ? `[${key}]` : text === "" ? StrictJson.shownKey(key) : `.${StrictJson.shownKey(key)}`
  }
  return text === "" ? "body" : text
}
