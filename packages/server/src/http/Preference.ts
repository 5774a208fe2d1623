/** Reads the preference `wait` of RFC 7240 from a request, and ignores all other preferences. */
import * as Context from "effect/Context"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

/** The longest wait in seconds. Common proxies close a connection that sends no bytes for a minute. */
const longestWait = 30

/**
 * True if the host bills or limits the duration of a request, or cannot send a response before the response is
 * complete.
 */
export const MustRespondImmediately = Context.Reference<boolean>(
  "@partner-commentary/reference/MustRespondImmediately",
  {
    defaultValue: () => false
  }
)

/**
 * Returns how many seconds the caller prefers to wait, at most `longestWait`. Without the preference `wait`, the result
 * is 0.
 */
export const parsePreferredWaitSeconds = (prefer: string | undefined): number => {
  // If the header contains several `wait` preferences, only the first `wait` applies. Commas separate preferences, and
  // semicolons separate parameters.
  const first = prefer?.match(members)?.find((member) => named.test(member))
  const [, quoted, seconds = quoted ?? "0"] = (first === undefined ? null : wait.exec(first)) ?? []
  return Math.min(Number(seconds), longestWait)
}

/**
 * Matches the parts between commas, but ignores commas within quotes. If a closing quote is missing, commas after the
 * opening quote do not separate parts.
 */
const members = /(?:"(?:\\.|[^"\\])*(?:"|\\?$)|[^,"])+/g

const named = /^\s*wait\s*(?:[=;]|$)/i

const wait = /^\s*wait\s*=\s*(?:"(\d+)"|(\d+))\s*(?:;|$)/i

export const addPreferenceAppliedHeader = (
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => HttpServerResponse.setHeader(response, "preference-applied", "wait")
