/**
 * Provides an Effect `SqlClient` for any pool of sessions. A transaction of the client can also join an open
 * transaction of the host.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { type CorruptionMonitor, KnownDatabaseFaultCheck } from "@partner-commentary/sql/database/DatabaseFault"
import * as HostTransaction from "@partner-commentary/sql/database/HostTransaction"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import type { Borrower, Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import * as HostSession from "./HostSession.ts"
import * as SearchPath from "./SearchPath.ts"

type Control = (connection: Connection) => Effect.Effect<unknown, SqlError>

export interface PooledClientOptions {
  /** Lends a session until the scope closes. */
  readonly acquirer: Effect.Effect<Connection, SqlError, Scope.Scope>
  /** Lends a session for one statement. */
  readonly borrower: Borrower
  readonly begin: Control
  /** The schema that contains the tables. */
  readonly schema: string | undefined
  /** Fails if a statement recently found corrupt data. */
  readonly fault: CorruptionMonitor["check"]
}

const spanAttributes = [["db.system.name", "postgresql"]] as const

export const make = ({ acquirer, begin, borrower, fault, schema }: PooledClientOptions) =>
  Effect.map(
    SqlClient.make({ acquirer, borrower, compiler: PgClient.makeCompiler(), driver: "pg", spanAttributes }),
    (client) =>
      Object.assign(client, {
        fault,
        withTransaction: HostTransaction.makePooledWithTransaction({
          transactionService: client.transactionService,
          spanAttributes,
          acquirer,
          begin,
          commit: commitTransaction,
          control: (connection, sql) => connection.executeRaw(sql, []),
          ...(schema === undefined ? {} : { enter: SearchPath.setSearchPathWithRestore(schema) })
        })
      })
  )

export const makeSqlClientContext = (client: SqlClient.SqlClient & Pick<PooledClientOptions, "fault">) =>
  Context.make(SqlClient.SqlClient, client).pipe(
    Context.add(KnownDatabaseFaultCheck, client.fault),
    Context.add(HostTransaction.HostTransactionConnector, HostSession.connectToHostTransaction)
  )

/**
 * Commits a transaction, and fails if the server rolled the transaction back. If a statement of the transaction has
 * failed, Postgres responds to COMMIT with the command ROLLBACK. PGlite reports no command.
 */
export const commitTransaction: Control = (connection) =>
  Effect.flatMap(
    connection.executeRaw("COMMIT", []) as Effect.Effect<{ command?: string }, SqlError>,
    ({ command }) => {
      const message = "The transaction was rolled back: a statement in it had failed"
      return command === "ROLLBACK"
        ? Effect.fail(
            new SqlError({ reason: new UnknownError({ cause: new Error(message), message, operation: "commit" }) })
          )
        : Effect.void
    }
  )
