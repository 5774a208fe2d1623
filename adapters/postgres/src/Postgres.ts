/** Every store of the core on one Postgres database: schema, client and stores, and the rate windows that all nodes share. */
import * as Migrations from "@partner-commentary/sql/Migrations"
import * as RateWindows from "@partner-commentary/sql/RateWindows"
import * as Stores from "@partner-commentary/sql/Stores"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as PostgresClient from "./PostgresClient.ts"

export interface PostgresConfig extends PostgresClient.PostgresClientConfig {
  /** The way past a pooler, for what needs a connection of its own. The pooler is then one, so nothing is prepared. */
  readonly directUrl?: Redacted.Redacted | undefined
}

/** Brings the database to the present schema, and serves every store from it. */
export const layer = (config: PostgresConfig) => Layer.provide(layerAsIs(config), layerMigrated(config))

/** Every store on a database that is of the present schema already. */
export const layerAsIs = (config: PostgresConfig) =>
  Layer.provideMerge(Layer.merge(Stores.layer, RateWindows.layer), layerClient(config))

/** The database alone, whatever its schema is. */
export const layerClient = (config: PostgresConfig) =>
  PostgresClient.layer({ isPooled: config.directUrl !== undefined, ...config })

/** For migrations: one connection, past the pooler, whose statements may take as long as they need. */
export const layerDirect = ({ directUrl, url, ...config }: PostgresConfig) =>
  PostgresClient.layer({ ...config, url: directUrl ?? url, isPooled: false, poolSize: 1, statementTimeout: 0 })

const layerMigrated = (config: PostgresConfig) =>
  Layer.effectDiscard(Effect.provide(Migrations.migrate, Layer.fresh(layerDirect(config))))
