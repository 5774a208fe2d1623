/** Provides all stores with one SQLite file, and the signals within this process. */
import * as Core from "@partner-commentary/core/Core"
import * as Migrations from "@partner-commentary/sql/Migrations"
import * as Sqlite from "@partner-commentary/sqlite/Sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface SqliteStartOptions {
  /** True if the service migrates the schema at its start. If false, the file must already have the current schema. */
  readonly migrates: boolean
  /**
   * True if all direct reads in one turn of the event loop see the same state of the SQLite file. By default, reads do
   * not share a state, because a host may change the file through its own connection.
   */
  readonly sharesReads?: boolean
}

export const layer = (filename: string, { migrates, sharesReads = false }: SqliteStartOptions) => {
  const stores = (migrates ? Sqlite.layer : Sqlite.layerWithoutMigration)({ filename, sharesReads })
  const check = Layer.effectDiscard(migrates ? Effect.void : Migrations.requireCurrentSchema)
  return Layer.merge(Layer.provideMerge(check, stores), Core.layerProcess)
}
