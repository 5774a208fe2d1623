/** Every store on one SQLite file, and the signals that its processes share. */
import * as Core from "@partner-commentary/core/Core"
import * as Sqlite from "@partner-commentary/sqlite/Sqlite"
import * as Layer from "effect/Layer"

export interface Migration {
  /** True if the start migrates the schema. Otherwise the schema must be the present one. */
  readonly migrates: boolean
}

export const layer = (filename: string, { migrates }: Migration) =>
  Layer.merge((migrates ? Sqlite.layer : Sqlite.layerWithoutMigration)({ filename }), Core.layerProcess)
