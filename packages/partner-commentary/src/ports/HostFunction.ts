/** Calls a function that the application passed as an option, with a timeout and an abort signal. */
import * as Ids from "@partner-commentary/core/shared/Ids"
import { formatErrorWithCauses } from "@partner-commentary/core/shared/Reason"
import { convertSchemaIssueToProblems } from "@partner-commentary/server/http/Body"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

export interface HostFunctionContext {
  /** The signal aborts when the service no longer waits for the function, for example after the timeout. */
  readonly signal: AbortSignal
}

export interface HostFunctionFailure {
  /** True if the function threw an error with `permanent: true`. After a permanent error, a retry is useless. */
  readonly permanent: boolean
  readonly reason: string
}

/** Calls the application's function. Fails with the function's error, or at the time limit. */
export const callHostFunction = <A>(
  run: (context: HostFunctionContext) => A | PromiseLike<A>,
  limit: Duration.Input
): Effect.Effect<A, HostFunctionFailure> =>
  Effect.tryPromise({
    try: (signal) => Promise.resolve(run({ signal })),
    catch: (cause): HostFunctionFailure => ({
      permanent: Predicate.hasProperty(cause, "permanent") && cause.permanent === true,
      reason: formatErrorWithCauses(cause).slice(0, 500)
    })
  }).pipe(
    Effect.timeoutOrElse({
      duration: limit,
      orElse: () =>
        Effect.fail<HostFunctionFailure>({ permanent: false, reason: "the application did not answer in time" })
    })
  )

/**
 * Makes a decoder for results of the application's functions. The decoder fails with the first problem if the result
 * does not match the schema.
 */
export const makeResultDecoder = <A, I>(schema: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return (answer: unknown): Effect.Effect<A, HostFunctionFailure> =>
    Effect.mapError(decode(answer), ({ issue }) => {
      const [{ constraint, field }] = convertSchemaIssueToProblems(issue)
      return { permanent: false, reason: `the application returned an invalid result: ${field} ${constraint}` }
    })
}

/** Checks an id of the application's tables. The problem names the id, so that the application's row can be found. */
export const makeHostIdSchema = <Id extends string>(schema: Schema.Codec<Id, string>) =>
  Schema.String.check(
    Schema.makeFilter(
      (id) => Ids.isLowerCaseUuid(id) || `${JSON.stringify(id.slice(0, 100))} must be a UUID in lower case`
    )
  ).pipe(Schema.decodeTo(schema))

/**
 * Turns a failure into a defect, for ports that cannot fail. A request with a defect gets a 500 response, and the log
 * contains the reason.
 */
export const convertFailureToDefect =
  (option: string) =>
  <A>(asked: Effect.Effect<A, HostFunctionFailure>): Effect.Effect<A> =>
    Effect.catch(asked, ({ reason }) => Effect.die(new Error(`The option ${option} failed: ${reason}`)))
