/**
 * Uses the open transaction on a host's `DatabaseSync` as an Effect connection. Statements of the service outside the
 * host's transaction run on a separate connection. On a shared connection, a statement of the service could become part
 * of a transaction of the host.
 */
import { DatabaseSync } from "node:sqlite"
import { HostTransactionRefused } from "@partner-commentary/sql/database/HostTransaction"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Connection } from "effect/sql/SqlConnection"
import * as FileHealth from "./FileHealth.ts"
import * as SqliteConnection from "./SqliteConnection.ts"

export type HostDatabase = DatabaseSync

export const isHostDatabase = (given: unknown): given is HostDatabase => given instanceof DatabaseSync

/** Returns whether the value is a connection of better-sqlite3, or of another library with the same interface. */
export const isBetterSqliteDatabase = (given: unknown): boolean =>
  Predicate.hasProperty(given, "prepare") && Predicate.isFunction(given.prepare)

/**
 * Returns the path of the database file. The result is undefined for a closed database, and for a database in memory,
 * which no other connection can open.
 */
export const findDatabasePath = (database: HostDatabase): string | undefined =>
  database.isOpen ? (database.location() ?? undefined) : undefined

const refused = (reason: string) => Effect.fail(new HostTransactionRefused({ reason }))

/**
 * Makes a function that converts a host's connection to an Effect connection. The host's connection must have an open
 * transaction and use the same file as this client. The Effect connection and its prepared statements are cached for
 * each host connection.
 */
export const makeHostTransactionOpener = (config: SqliteConnection.SqliteFileConfig) => {
  const file = FileHealth.readFileIdentity(config.filename)
  const connections = new WeakMap<HostDatabase, Connection>()
  const connectionOf = (database: HostDatabase): Connection => {
    const known = connections.get(database)
    if (known !== undefined) return known
    const made = SqliteConnection.connectToDatabase(
      SqliteConnection.makeSqliteHandle(database, config),
      () => true,
      (effect) => effect
    )
    connections.set(database, made)
    return made
  }
  return (db: unknown): Effect.Effect<Connection, HostTransactionRefused> =>
    Effect.suspend(() => {
      if (!isHostDatabase(db)) {
        return refused(
          isBetterSqliteDatabase(db)
            ? "must be a DatabaseSync of node:sqlite: the service cannot run statements on a connection of better-sqlite3"
            : "must be a DatabaseSync of node:sqlite"
        )
      }
      const location = findDatabasePath(db)
      if (file === undefined || location === undefined || FileHealth.readFileIdentity(location) !== file) {
        return refused(`must be an open DatabaseSync on the file ${config.filename}`)
      }
      // The transaction must be open, because otherwise a savepoint of the service would begin a transaction, and the
      // release of the savepoint would commit that transaction.
      return db.isTransaction ? Effect.succeed(connectionOf(db)) : refused("has no open transaction")
    })
}
