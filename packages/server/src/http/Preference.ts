/** The preference `wait` of RFC 7240. Others are ignored. */
import * as HttpServerResponse from "effect/http/HttpServerResponse"

/** The longest wait in seconds. Common proxies close a connection without bytes after a minute. */
const longestWait = 30

/** Returns the seconds that the caller prefers to wait, at most `longestWait`; 0 without the preference. */
export const preferredWait = (prefer: string | undefined): number => {
  const [, seconds = "0"] = (prefer === undefined ? null : preference.exec(prefer)) ?? []
  return Math.min(Number(seconds), longestWait)
}

const preference = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?=[,;]|$)/i

export const applied = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeader(response, "preference-applied", "wait")
