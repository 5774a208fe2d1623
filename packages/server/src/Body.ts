/** Reads a request's JSON body by a schema: every problem is answered with its field and a constraint that a person can act on. */
import { InvalidRequest, type Problem } from "@partner-commentary/api/Errors"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as StrictJson from "./StrictJson.ts"

/** In bytes. */
export const maxBodySize = 256 * 1024

/** Fails with everything that is wrong, in the order of the schema's fields. */
export const decoder = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (request: HttpServerRequest.HttpServerRequest): Effect.Effect<A, InvalidRequest> => {
    if (!isJson(request.headers["content-type"])) {
      return invalid({ field: "content-type", constraint: "must be application/json, in UTF-8" })
    }
    return Effect.flatMap(read(request), (text) => {
      const json = StrictJson.parse(text)
      if (Result.isFailure(json)) return invalid(json.failure)
      const decoded = decode(json.success)
      return Result.isSuccess(decoded) ? Effect.succeed(decoded.success) : invalid(...problems(decoded.failure.issue))
    })
  }
}

/** Every problem of a failed decoding; a problem with the whole is one of `body`. */
export const problems = (issue: SchemaIssue.Issue): readonly [Problem, ...ReadonlyArray<Problem>] => {
  const [first, ...rest] = format(issue).issues.map(({ message, path = [] }) => ({
    field: pathOf(path),
    constraint: message
  }))
  return [first ?? { field: "body", constraint: "is invalid" }, ...rest]
}

export const invalid = (...all: readonly [Problem, ...ReadonlyArray<Problem>]) => Effect.fail(InvalidRequest.of(all))

const isJson = (contentType = ""): boolean =>
  /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(contentType.trim())

/** What cannot be read at all was cut off, or is no UTF-8; a body that is too large is answered for all requests alike. */
const read = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.flatMap(Effect.orDie(request.arrayBuffer), (bytes) => {
    const text = Result.try(() => utf8.decode(bytes))
    return Result.isSuccess(text)
      ? Effect.succeed(text.success)
      : invalid({ field: "body", constraint: "must be UTF-8" })
  })

const utf8 = new TextDecoder("utf-8", { fatal: true })

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "MissingKey") return "is required"
    const described = SchemaIssue.defaultLeafHook(issue)
    return issue._tag === "InvalidType" || issue._tag === "InvalidValue"
      ? described
          .replace(/^Expected /, "must be ")
          .replace(/, got [\s\S]*$/, "")
          .replace(/^must be (string|object|array|integer|number|boolean)$/, "must be a $1")
          .replace(/ a (array|object|integer)$/, " an $1")
      : described
  }
})

const pathOf = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string => {
  let text = ""
  for (const segment of path) {
    const key = typeof segment === "object" ? segment.key : segment
    text += typeof key === "number" ? `[${key}]` : text === "" ? String(key) : `.${String(key)}`
  }
  return text === "" ? "body" : text
}
