/** Every store on one SQLite file, and what the processes on it share. */
import * as Core from "@partner-commentary/core/Core"
import * as Sqlite from "@partner-commentary/sqlite/Sqlite"
import * as Layer from "effect/Layer"

export interface Migration {
  /** Whether the schema is brought up to date; else it must be so already. */
  readonly migrates: boolean
}

export const layer = (filename: string, { migrates }: Migration) =>
  Layer.merge((migrates ? Sqlite.layer : Sqlite.layerWithoutMigration)({ filename }), Core.layerProcess)
