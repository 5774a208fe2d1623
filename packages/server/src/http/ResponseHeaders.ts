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

/** Sets the given headers, except those that are already set. */
export const addMissing = (headers: Record<string, string>, given: Readonly<Record<string, string>>): void => {
  for (const name in given) headers[name] ??= given[name] as string
}

/** Returns a copy of the response with the given headers instead of its own headers. */
export const replace = (
  response: HttpServerResponse.HttpServerResponse,
  headers: Readonly<Record<string, string>>
): HttpServerResponse.HttpServerResponse => {
  const copied = Object.create(Object.getPrototypeOf(response))
  copied.status = response.status
  copied.statusText = response.statusText
  copied.cookies = response.cookies
  copied.body = response.body
  copied.headers = headers
  return copied
}
