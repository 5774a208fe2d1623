/**
 * Uses the `DatabaseSync` of a host application, and the transaction that is open on it, as a connection of Effect. All
 * other statements run on a separate connection, because on a common connection, statements of the host and the service
 * would join each other's transactions.
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

/** Returns whether this is a connection of better-sqlite3 or of another library with its interface. */
export const isOtherDatabase = (given: unknown): boolean =>
  Predicate.hasProperty(given, "prepare") && Predicate.isFunction(given.prepare)

/** Returns undefined for a closed database, and for one in memory, which no other connection can open. */
export const fileOf = (database: HostDatabase): string | undefined =>
  database.isOpen ? (database.location() ?? undefined) : undefined

const refused = (reason: string) => Effect.fail(new HostTransactionRefused({ reason }))

/** The host's connections to the file of this client. The prepared statements of each connection are cached with it. */
export const transactions = (config: SqliteConnection.SqliteFileConfig) => {
  const file = FileHealth.fileIdentity(config.filename)
  const connections = new WeakMap<HostDatabase, Connection>()
  const connectionOf = (database: HostDatabase): Connection => {
    const known = connections.get(database)
    if (known !== undefined) return known
    const made = SqliteConnection.connectToDatabase(
      SqliteConnection.makeDatabase(database, config),
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
          isOtherDatabase(db)
            ? "must be a DatabaseSync of node:sqlite: the service cannot run statements on a connection of better-sqlite3"
            : "must be a DatabaseSync of node:sqlite"
        )
      }
      const location = fileOf(db)
      if (file === undefined || location === undefined || FileHealth.fileIdentity(location) !== file) {
        return refused(`must be an open DatabaseSync on the file ${config.filename}`)
      }
      // Without an open transaction, a savepoint would begin one, and its release would commit it.
      return db.isTransaction ? Effect.succeed(connectionOf(db)) : refused("has no open transaction")
    })
}
