/**
 * Builds response headers by setting properties one by one, because V8 does this fast. Effect's `Headers` functions
 * copy a record, change its prototype and check each name again.
 */
import * as Headers from "effect/http/Headers"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"

const prototype = Object.getPrototypeOf(Headers.empty)

/** Copies headers whose names are in lower case. */
export const copy = (given: Readonly<Record<string, string | undefined>>): Record<string, string> => {
  const headers: Record<string, string> = Object.create(prototype)
  for (const name in given) headers[name] = given[name] as string
  return headers
}

/** Returns a copy of the response with the given headers instead of its own headers. */
export const replace = (
  response: HttpServerResponse.HttpServerResponse,
  headers: Readonly<Record<string, string>>
): HttpServerResponse.HttpServerResponse => {
  const { body, cookies, status, statusText } = response
  return Object.assign(Object.create(Object.getPrototypeOf(response)), { status, statusText, cookies, body, headers })
}
