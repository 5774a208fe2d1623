/**
 * Uses a session of the host application as an Effect connection. The connection prepares no statements, because the
 * name of a prepared statement would remain on the host's session.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import type * as HostPool from "./HostPool.ts"
import { toSqlError } from "./ServerError.ts"
import { toPostgresParameter } from "./Values.ts"

export type RunStatement = (
  sql: string,
  params: ReadonlyArray<unknown>
) => Effect.Effect<HostPool.QueryResult, SqlError>

/**
 * Runs a statement that cannot be interrupted. An interrupted statement would return its session to the pool before the
 * server has responded.
 */
export const makeRunStatement =
  (session: HostPool.Queryable): RunStatement =>
  (sql, params) =>
    Effect.uninterruptible(
      Effect.tryPromise({
        // Postgres accepts several statements in one text only if the call has no parameters.
        try: () =>
          Promise.resolve(
            params.length === 0 ? session.query(sql) : session.query(sql, params.map(toPostgresParameter))
          ),
        catch: (cause) => toSqlError(cause, "execute the statement")
      })
    )

export const toEffectConnection = (ask: RunStatement): Connection => {
  const rows = (sql: string, params: ReadonlyArray<unknown>) =>
    Effect.map(ask(sql, params), ({ rows }) => rows as ReadonlyArray<Record<string, unknown>>)
  const run: Connection["execute"] = (sql, params, transform) =>
    transform === undefined ? rows(sql, params) : Effect.map(rows(sql, params), transform)
  const values: Connection["executeValues"] = (sql, params) =>
    Effect.map(rows(sql, params), (all) => all.map((row) => Object.values(row)))
  return {
    execute: run,
    executeUnprepared: run,
    executeRaw: ask,
    executeValues: values,
    executeValuesUnprepared: values,
    executeStream: (sql, params, transform) =>
      Stream.unwrap(Effect.map(run(sql, params, transform), Stream.fromIterable))
  }
}
