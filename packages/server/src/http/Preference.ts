/** The preference `wait` of RFC 7240. Others are ignored. */
import * as Context from "effect/Context"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

/** The longest wait in seconds. Common proxies close a connection without bytes after a minute. */
const longestWait = 30

/** True if the host bills or limits the time of a request, or sends an answer only when it is whole. */
export const MustAnswerAtOnce = Context.Reference<boolean>("@partner-commentary/server/http/MustAnswerAtOnce", {
  defaultValue: () => false
})

/** Returns the seconds that the caller prefers to wait, at most `longestWait`; 0 without the preference. */
export const preferredWait = (prefer: string | undefined): number => {
  // The first of several counts. Commas separate preferences, and semicolons the parameters of one.
  const first = prefer?.match(members)?.find((member) => named.test(member))
  const [, quoted, seconds = quoted ?? "0"] = (first === undefined ? null : wait.exec(first)) ?? []
  return Math.min(Number(seconds), longestWait)
}

/** The members of a list. A comma within quotes is text, also when the closing quote is missing. */
const members = /(?:"(?:\\.|[^"\\])*(?:"|\\?$)|[^,"])+/g

const named = /^\s*wait\s*(?:[=;]|$)/i

const wait = /^\s*wait\s*=\s*(?:"(\d{1,9})"|(\d{1,9}))\s*(?:;|$)/i

export const applied = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeader(response, "preference-applied", "wait")
