/** Restores the bytes of a request body that a framework's body parser has already read. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

interface Parsed {
  readonly headers: Readonly<Record<string, string | Array<string> | undefined>>
  readonly body?: unknown
  readonly rawBody?: unknown
}

/**
 * Returns undefined if the request has no parsed body. Returns an empty array if the parsed body cannot be converted to
 * text. An empty array makes the service reject the body as empty.
 */
export const restoreBytes = ({ body, headers, rawBody }: Parsed): Uint8Array<ArrayBuffer> | undefined => {
  const present = rawBody ?? body
  if (present === undefined) return undefined
  if (Predicate.isUint8Array(present)) return new Uint8Array(present)
  if (Predicate.isString(present)) return encoder.encode(present)
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(String(headers["content-type"]))
  const text = Result.try(() => (isForm && Predicate.isObject(present) ? formOf(present) : JSON.stringify(present)))
  return encoder.encode(Result.getOrElse(text, () => ""))
}

const encoder = new TextEncoder()

const formOf = (fields: object): string =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) => [value].flat().map((each) => [name, String(each)]))
  ).toString()
