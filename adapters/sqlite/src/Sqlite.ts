/** Every store of the core on one SQLite file, or in memory: client, schema and stores. */
import * as Migrations from "@partner-commentary/sql/Migrations"
import * as Stores from "@partner-commentary/sql/Stores"
import * as Layer from "effect/Layer"
import * as MemorySchema from "./MemorySchema.ts"
import * as SqliteClient from "./SqliteClient.ts"

/** Opens the file, brings it to the present schema, and serves every store from it. */
export const layer = (config: SqliteClient.SqliteClientConfig) =>
  Layer.provideMerge(Stores.layer, layerDatabase(config))

/** The same, with the host's own stores of personas or partners in the place of ours: `Stores.layerWith`. */
export const layerWith = <Own extends Stores.HostsOwn, E, R>(
  config: SqliteClient.SqliteClientConfig,
  own: Layer.Layer<Own, E, R>
) => Layer.provideMerge(Stores.layerWith(own), layerDatabase(config))

/** The file, of the present schema. */
const layerDatabase = (config: SqliteClient.SqliteClientConfig) =>
  Layer.provideMerge(config.filename === ":memory:" ? MemorySchema.layer : Migrations.layer, SqliteClient.layer(config))

/** Every store on a file that is of the present schema already. */
export const layerAsIs = (config: SqliteClient.SqliteClientConfig) =>
  Layer.provideMerge(Stores.layer, SqliteClient.layer(config))

/** A database of its own for each time it is built; gone with its scope. */
export const layerMemory = layer({ filename: ":memory:" })
