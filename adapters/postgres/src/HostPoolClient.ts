/**
 * Provides an Effect `SqlClient` that uses the connection pool of a host application. The host configures type parsers,
 * timeouts and the size of the pool. With a `schema`, each statement outside of a transaction runs in its own
 * transaction (`SearchPath`).
 */
import { makeCorruptionMonitor } from "@partner-commentary/sql/database/DatabaseFault"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { makeRunStatement, type RunStatement, toEffectConnection } from "./HostConnection.ts"
import type * as HostPool from "./HostPool.ts"
import { leaseSession } from "./HostSessionLease.ts"
import * as PooledClient from "./PooledClient.ts"
import * as SearchPath from "./SearchPath.ts"
import { isSessionEndingError } from "./ServerError.ts"

export interface HostPoolConfig {
  readonly pool: HostPool.HostPool
  /** The schema that contains the tables. By default, the client uses the search path of the host's sessions. */
  readonly schema?: string | undefined
}

const make = ({ pool, schema }: HostPoolConfig) => {
  const { check, saw } = makeCorruptionMonitor()
  const asked =
    (session: HostPool.Queryable, lose: () => void): RunStatement =>
    (sql, params) =>
      Effect.tapError(makeRunStatement(session)(sql, params), (error: SqlError) =>
        Effect.sync(() => {
          saw(error)
          if (isSessionEndingError(error)) lose()
        })
      )
  const start = schema === undefined ? "BEGIN" : `BEGIN; ${SearchPath.makeSetSearchPathStatement(schema)}`
  const begin: PooledClient.PooledClientOptions["begin"] = (connection) => connection.executeRaw(start, [])
  const acquirer = Effect.map(leaseSession(pool), ({ lose, session }) => toEffectConnection(asked(session, lose)))
  const direct = toEffectConnection(asked(pool, () => {}))
  return PooledClient.make({
    acquirer,
    borrower: (use) =>
      schema === undefined
        ? use(direct)
        : Effect.scoped(
            Effect.flatMap(
              acquirer,
              SearchPath.runInOwnTransaction({ begin, commit: PooledClient.commitTransaction }, use)
            )
          ),
    begin,
    schema,
    fault: check
  })
}

export const layer = (config: HostPoolConfig): Layer.Layer<SqlClient.SqlClient> =>
  Layer.effectContext(Effect.map(make(config), PooledClient.makeSqlClientContext)).pipe(Layer.provide(Reactivity.layer))
