/** Provides all store ports of the core on one SQLite file, or on a database in memory. */
import * as Migrations from "@partner-commentary/sql/Migrations"
import * as Stores from "@partner-commentary/sql/Stores"
import * as Layer from "effect/Layer"
import * as MemorySchema from "./MemorySchema.ts"
import * as SqliteClient from "./SqliteClient.ts"

/** Opens and migrates the file, and provides all stores. */
export const layer = (config: SqliteClient.SqliteClientConfig) =>
  Layer.provideMerge(Stores.layer, layerDatabase(config))

/**
 * Opens and migrates the file, and provides all stores. The host's own stores of personas or organizations replace the
 * default stores: see `Stores.layerWith`.
 */
export const layerWith = <Own extends Stores.ReplaceableStores, E, R>(
  config: SqliteClient.SqliteClientConfig,
  own: Layer.Layer<Own, E, R>
) => Layer.provideMerge(Stores.layerWith(own), layerDatabase(config))

/** Opens and migrates the file. */
const layerDatabase = (config: SqliteClient.SqliteClientConfig) =>
  Layer.provideMerge(config.filename === ":memory:" ? MemorySchema.layer : Migrations.layer, SqliteClient.layer(config))

/** Provides all stores on a file that already has the current schema. */
export const layerWithoutMigration = (config: SqliteClient.SqliteClientConfig) =>
  Layer.provideMerge(Stores.layer, SqliteClient.layer(config))

/**
 * Provides all stores in memory. Each time the layer is built, it creates a new database, which is deleted when the
 * scope closes.
 */
export const layerMemory = layer({ filename: ":memory:" })
