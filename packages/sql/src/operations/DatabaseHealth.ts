/**
 * Checks that the database accepts a write. The check inserts a large row and deletes the row in the same transaction.
 * No other transaction sees the inserted row, but the database must write the commit to the disk.
 */
import { DatabaseHealth, DatabaseUnavailable } from "@partner-commentary/core/operations/DatabaseHealth"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { KnownDatabaseFaultCheck, toDatabaseUnavailable } from "../database/DatabaseFault.ts"

/** The time for which the result of a check is reused, in milliseconds. */
const freshness = 1000

const timeout = "2 seconds"

/**
 * The test row is about as large as a topic. A small row could still fit into a database that has no space left for a
 * topic.
 */
const filling = "x".repeat(8192)

/** Writes to the database once, without a timeout and without a rate limit. */
export const runTestWrite: Effect.Effect<void, DatabaseUnavailable, SqlClient.SqlClient> = Effect.gen(function* () {
  yield* yield* KnownDatabaseFaultCheck
  const sql = yield* SqlClient.SqlClient
  // Each check writes a row with a different id, so that checks do not wait for each other.
  const id = `health:${yield* Clock.currentTimeNanos}`
  yield* sql.withTransaction(
    Effect.andThen(
      sql`INSERT INTO stored_responses (id, fingerprint, until_at) VALUES (${id}, ${filling}, ${"1970-01-01T00:00:00.000Z"})`,
      sql`DELETE FROM stored_responses WHERE id = ${id}`
    )
  )
}).pipe(
  Effect.catchCause((cause) => {
    const error = Cause.squash(cause)
    return Effect.fail(error instanceof DatabaseUnavailable ? error : toDatabaseUnavailable(error))
  })
)

export const layer = Layer.effect(
  DatabaseHealth,
  Effect.gen(function* () {
    const context = yield* Effect.context<SqlClient.SqlClient>()
    let running: Deferred.Deferred<void, DatabaseUnavailable> | undefined
    let latest: { readonly exit: Exit.Exit<void, DatabaseUnavailable>; readonly at: number } | undefined
    let loggedFault: string | undefined

    /** Logs a fault when the fault begins, and once more when the fault ends. */
    const tell = (exit: Exit.Exit<void, DatabaseUnavailable>) =>
      Effect.suspend(() => {
        const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
        const before = loggedFault
        loggedFault = error instanceof DatabaseUnavailable ? error.fault : undefined
        if (loggedFault === before) return Effect.void
        if (error instanceof DatabaseUnavailable) {
          return Effect.annotateLogs(Effect.logError(error.message), { fault: error.fault, reason: error.detail })
        }
        return before === undefined ? Effect.void : Effect.logInfo("The database accepts writes again")
      })

    /**
     * The write continues when its caller is interrupted, so that later callers share the running write. Because
     * callers share the write, a database that does not respond blocks only one connection.
     */
    const run = (done: Deferred.Deferred<void, DatabaseUnavailable>) =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(Effect.provideContext(runTestWrite, context))
        yield* keep(exit)
        running = undefined
        yield* Deferred.done(done, exit)
      })

    const start = Effect.uninterruptible(
      Effect.suspend(() => {
        const done = Deferred.makeUnsafe<void, DatabaseUnavailable>()
        running = done
        return Effect.as(Effect.forkDetach(Effect.interruptible(run(done))), done)
      })
    )

    const keep = (exit: Exit.Exit<void, DatabaseUnavailable>) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => {
        latest = { exit, at }
        return tell(exit)
      })

    const slow = Effect.suspend(() => {
      const error = new DatabaseUnavailable({ fault: "slow", detail: "" })
      return Effect.andThen(keep(Exit.fail(error)), Effect.fail(error))
    })

    const check = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (latest !== undefined && now - latest.at < freshness) return yield* latest.exit
      const done = running ?? (yield* start)
      return yield* Effect.timeoutOrElse(Deferred.await(done), { duration: timeout, orElse: () => slow })
    })

    return DatabaseHealth.of({ check })
  })
)
