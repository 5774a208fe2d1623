/**
 * Converts a failed start of the database to an error with one sentence. The error message explains the cause and
 * contains the message of the database driver.
 */
import { formatErrorWithCauses } from "@partner-commentary/core/shared/Reason"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { makeStartFailedError, PartnerCommentaryError } from "../PartnerCommentaryError.ts"

/**
 * Returns the first code in the chain of an error and its causes. The code is a SQLSTATE or an operating system's error
 * code.
 */
const codeOf = (error: unknown): string => {
  if (!Predicate.isObject(error)) return ""
  const code = Reflect.get(error, "code")
  if (Predicate.isString(code) && code !== "start_failed") return code
  return codeOf(Reflect.get(error, "cause") ?? Reflect.get(error, "reason"))
}

const begins = (code: string, serverName: string): string | undefined => {
  if (code === "3D000") return `There is no such database at ${serverName}`
  if (/^28/.test(code)) return `The server rejects the user or the password for ${serverName}`
  return /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)$/.test(code)
    ? `No server accepts connections at ${serverName}`
    : undefined
}

/**
 * Replaces each failure of the layer by an error that explains the cause. The error messages call the server
 * `serverName`.
 */
export const explainStartFailure = <A, E, R>(
  serverName: string,
  layer: Layer.Layer<A, E, R>
): Layer.Layer<A, PartnerCommentaryError, R> =>
  Layer.catch(layer, (error) => {
    const beginning = begins(codeOf(error), serverName)
    const failure =
      beginning === undefined
        ? makeStartFailedError(`The database ${serverName}`, error)
        : new PartnerCommentaryError({
            code: "start_failed",
            message: `${beginning}: ${formatErrorWithCauses(error)}.`,
            details: {},
            cause: error
          })
    return Layer.effectContext(Effect.fail(failure))
  })
