/** The preference `wait` of RFC 7240. Others are ignored. */
import * as Context from "effect/Context"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

/** The longest wait in seconds. Common proxies close a connection that sends no bytes for a minute. */
const longestWait = 30

/** True if the host bills or limits the time of a request, or sends an answer only when it is whole. */
export const MustAnswerAtOnce = Context.Reference<boolean>("@partner-commentary/reference/MustAnswerAtOnce", {
  defaultValue: () => false
})

/** Returns the seconds that the caller prefers to wait, at most `longestWait`; 0 without the preference. */
export const preferredWait = (prefer: string | undefined): number => {
  // If there are several preferences with this name, the first one counts. Commas separate preferences, and semicolons
  // separate parameters.
  const first = prefer?.match(members)?.find((member) => named.test(member))
  const [, quoted, seconds = quoted ?? "0"] = (first === undefined ? null : wait.exec(first)) ?? []
  return Math.min(Number(seconds), longestWait)
}

/** Splits a list at its commas, except within quotes. A quote without an end includes the rest of the text. */
const members = /(?:"(?:\\.|[^"\\])*(?:"|\\?$)|[^,"])+/g

const named = /^\s*wait\s*(?:[=;]|$)/i

const wait = /^\s*wait\s*=\s*(?:"(\d{1,9})"|(\d{1,9}))\s*(?:;|$)/i

export const withPreferenceApplied = (
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => HttpServerResponse.setHeader(response, "preference-applied", "wait")
