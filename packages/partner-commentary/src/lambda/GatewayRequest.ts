/**
 * Defines the common form of the HTTP requests of all Lambda event sources, and converts such a request to a request of
 * the service.
 */
import type { HostRequestInfo } from "@partner-commentary/server/embedding/WebHandler"
import * as Headers from "effect/http/Headers"
import * as HttpServerRequest from "effect/http/HttpServerRequest"

export interface GatewayRequest {
  readonly method: string
  /**
   * Returns the original path and query without the stage and without `prefix`, which is the path of the service's
   * public URL.
   */
  readonly targetBelow: (prefix: string) => string
  /** The headers of the request, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer> | null
  /** The address of the client that connected to the gateway; `""` if the address is unknown. */
  readonly address: string
  readonly answerAs: GatewayResponseFormat
}

export type GatewayResponseFormat = "http-api" | "headers" | "multi-value-headers"

/**
 * The headers of which Node's HTTP server keeps only the first value. Node's HTTP server joins the values of every
 * header that is not in `single`. The Lambda host handles repeated headers as Node's HTTP server does, so that all
 * hosts read headers in the same way.
 */
const single = new Set(
  [
    "age, authorization, content-length, content-type, etag, expires, from, host, if-modified-since, if-unmodified-since",
    "last-modified, location, max-forwards, proxy-authorization, referer, retry-after, server, user-agent"
  ]
    .join(", ")
    .split(", ")
)

export const joinHeaderValues = (
  headers: Iterable<readonly [string, ReadonlyArray<string>]>
): Record<string, string> => {
  const found: Record<string, string> = {}
  for (const [name, values] of headers) {
    const key = name.toLowerCase()
    const before = found[key]
    const all = before === undefined ? values : [before, ...values]
    const [first] = all
    if (first !== undefined) found[key] = single.has(key) ? first : all.join(key === "cookie" ? "; " : ", ")
  }
  return found
}

const token = /^[\w!#$%&'*+.^`|~-]+$/

/** Trims the values of the headers. Returns undefined if the Fetch standard forbids a name or a value. */
const trimHeaders = (headers: GatewayRequest["headers"]): Headers.Headers | undefined => {
  const trimmed = Object.entries(headers).map(([name, value]) => [name, value.trim()])
  return trimmed.every(([name = "", value = ""]) => token.test(name) && !/[\0\n\r\u0100-\uffff]/.test(value))
    ? Headers.fromRecordUnsafe(Object.fromEntries(trimmed))
    : undefined
}

/**
 * Converts a request of a gateway to a request of the service and its context. Returns undefined if the method or a
 * header is invalid in HTTP. A web Request would load Node's fetch implementation at each start.
 */
export const toServerRequest = (
  call: GatewayRequest,
  prefix: string
): readonly [HttpServerRequest.HttpServerRequest, HostRequestInfo] | undefined => {
  const { address, body, method } = call
  const headers = trimHeaders(call.headers)
  const target = call.targetBelow(prefix)
  const host = call.headers["host"] ?? ""
  const root = URL.canParse(`https://${host}/`) ? `https://${host}` : "https://localhost"
  // Build the URL as one string, because a URL parser would read a path that starts with two slashes as a host.
  const url = URL.parse(`${root}${target}`)
  if (headers === undefined || !token.test(method) || url === null || url.username + url.password !== "") {
    return undefined
  }
  const bodiless = body === null || body.length === 0 || /^(get|head)$/i.test(method)
  const source = {
    method,
    url: url.href,
    body: bodiless ? null : new Response(body).body,
    get headers() {
      return new globalThis.Headers(headers)
    }
  }
  return [
    HttpServerRequest.fromWeb(source as Request).modify({ headers }),
    { address, target, isPrefixRemoved: true, mustAnswerAtOnce: true }
  ]
}
