/** Calls a function that the application gave as an option: bounded in time, with a signal that tells it to stop. */
import { reasonOf } from "@partner-commentary/core/shared/Reason"
import { problemsOf } from "@partner-commentary/server/http/Body"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

export interface Context {
  /** Aborted when the service no longer waits. */
  readonly signal: AbortSignal
}

export interface HostFailure {
  /** Whether the function threw an error with `permanent: true`: another attempt is pointless. */
  readonly permanent: boolean
  readonly reason: string
}

/** Fails as the function failed. */
export const call = <A>(
  run: (context: Context) => A | PromiseLike<A>,
  limit: Duration.Input
): Effect.Effect<A, HostFailure> =>
  Effect.tryPromise({
    try: (signal) => Promise.resolve(run({ signal })),
    catch: (cause): HostFailure => ({
      permanent: Predicate.hasProperty(cause, "permanent") && cause.permanent === true,
      reason: reasonOf(cause).slice(0, 500)
    })
  }).pipe(
    Effect.timeoutOrElse({
      duration: limit,
      orElse: () => Effect.fail<HostFailure>({ permanent: false, reason: "the application did not answer in time" })
    })
  )

/** What the function answered, or a failure that says what is wrong with it. */
export const answered = <A, I>(schema: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return (answer: unknown): Effect.Effect<A, HostFailure> =>
    Effect.mapError(decode(answer), ({ issue }) => {
      const [{ constraint, field }] = problemsOf(issue)
      return { permanent: false, reason: `the application's answer is wrong: ${field} ${constraint}` }
    })
}

/** For ports without failures of their own: the request is answered by 500, and the log says why. */
export const orDie =
  (option: string) =>
  <A>(asked: Effect.Effect<A, HostFailure>): Effect.Effect<A> =>
    Effect.catch(asked, ({ reason }) => Effect.die(new Error(`The option ${option} failed: ${reason}`)))
