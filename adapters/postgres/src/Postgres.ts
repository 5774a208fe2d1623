/**
 * Provides every store port of the core with one Postgres database. The layers also provide the database client,
 * migrations, and the rate windows that all nodes share.
 */
import { AccessChanges } from "@partner-commentary/core/access/AccessChanges"
import { WorkSignal } from "@partner-commentary/core/shared/WorkSignal"
import * as RateWindows from "@partner-commentary/sql/access/RateWindows"
import * as Migrations from "@partner-commentary/sql/Migrations"
import * as Stores from "@partner-commentary/sql/Stores"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as AccessChangesByChannel from "./AccessChanges.ts"
import * as Channel from "./Channel.ts"
import * as DatabaseClock from "./DatabaseClock.ts"
import * as DirectUrl from "./DirectUrl.ts"
import * as HostPoolClient from "./HostPoolClient.ts"
import * as HostPoolListener from "./HostPoolListener.ts"
import * as PostgresClient from "./PostgresClient.ts"
import * as SearchPath from "./SearchPath.ts"
import * as WorkSignalByChannel from "./WorkSignal.ts"

export interface PostgresConfig extends PostgresClient.PostgresClientConfig {
  /**
   * The database URL that bypasses a pooler, for work that needs a direct connection. If `directUrl` is set, `url`
   * leads to a pooler, and the client prepares no statements.
   */
  readonly directUrl?: Redacted.Redacted | undefined
}

/** Migrates the database to the current schema, and provides every store. */
export const layer = (config: PostgresConfig) => Layer.provide(layerWithoutMigration(config), layerMigrated(config))

/**
 * Migrates the database to the current schema, and provides every store. The host's own stores of personas or
 * organizations replace the default stores: see `Stores.layerWith`.
 */
export const layerWith = <Own extends Stores.ReplaceableStores, E, R>(
  config: PostgresConfig,
  own: Layer.Layer<Own, E, R>
) =>
  Layer.merge(Stores.layerWith(own), RateWindows.layer).pipe(
    Layer.provideMerge(layerClient(config)),
    Layer.provide(layerMigrated(config))
  )

/** Provides every store on a database that already has the current schema. */
export const layerWithoutMigration = (config: PostgresConfig) =>
  Layer.provideMerge(Layer.merge(Stores.layer, RateWindows.layer), layerClient(config))

/** Provides only the database client. The database may have any schema. */
export const layerClient = (config: PostgresConfig) =>
  PostgresClient.layer({ isPooled: config.directUrl !== undefined, ...config })

/** Provides the client for migrations. This client bypasses a pooler. */
export const layerMigrationClient = (config: PostgresConfig) => layerDirectClient(config, 0)

/**
 * Provides the client for migrations with the time of the database. A migration needs the database's time to compare
 * the heartbeats of other processes.
 */
export const layerMigrationClientWithClock = (config: PostgresConfig) =>
  Layer.provideMerge(layerClock, layerMigrationClient(config))

/** Provides a client for inspections with the settings of the stores. The client opens only one connection. */
export const layerInspectionClient = (config: PostgresConfig) => layerClient({ ...config, poolSize: 1 })

/**
 * Provides a client for inspections with the settings of migrations. The client uses the configured statement timeout,
 * while migrations run without a statement timeout.
 */
export const layerDirectInspectionClient = (config: PostgresConfig) =>
  layerDirectClient(config, config.statementTimeout)

/** Fails if `directUrl` leads to another database than `url`. */
const layerDirectClient = (config: PostgresConfig, statementTimeout: PostgresConfig["statementTimeout"]) => {
  const client = PostgresClient.layer({ ...alone(config), statementTimeout })
  const { directUrl, url } = config
  if (directUrl === undefined || Redacted.value(directUrl) === Redacted.value(url)) return client
  return Layer.tap(client, (direct) =>
    Effect.flatMap(SqlClient.SqlClient, (pooled) =>
      DirectUrl.requireSameDatabase(Context.get(direct, SqlClient.SqlClient), pooled)
    ).pipe(Effect.provide(layerInspectionClient(config)))
  )
}

/** Configures one connection that bypasses the pooler and has no statement timeout. */
const alone = ({ directUrl, url, ...config }: PostgresConfig): PostgresClient.PostgresClientConfig => ({
  ...config,
  url: directUrl ?? url,
  isPooled: false,
  poolSize: 1,
  statementTimeout: 0
})

/** Provides the clock of the database, so that all processes use the same time. */
export const layerClock = DatabaseClock.layer

/**
 * Provides the signals between all processes that use the database. A process that does not listen finds work by
 * polling, but still sends signals to other processes.
 */
export const layerSignals = (config: PostgresConfig, options: { readonly listens: boolean }) =>
  signals(
    options.listens ? Effect.flatMap(PostgresClient.make(alone(config)), Channel.openListeningSession) : undefined
  )

const signals = (
  subscribe: Effect.Effect<Channel.ListeningSession, SqlError, Scope.Scope | Reactivity.Reactivity> | undefined
) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const channel = yield* Channel.make
      const work = WorkSignalByChannel.make(channel, yield* WorkSignal)
      const access = AccessChangesByChannel.make(channel, yield* AccessChanges)
      if (subscribe !== undefined) {
        const reactivity = yield* Reactivity.Reactivity
        yield* Channel.listen(channel, Effect.provideService(subscribe, Reactivity.Reactivity, reactivity))
      }
      return Context.make(WorkSignal, work).pipe(Context.add(AccessChanges, access))
    })
  ).pipe(Layer.provide([WorkSignal.layerProcess, AccessChanges.layerProcess, Reactivity.layer]))

/**
 * Provides every store and the shared state with the SQL client that the Effect application already provides, for
 * example with `PgClient.layer`. The process does not run LISTEN, so it finds the work of other processes by polling.
 */
export const layerOnClient = Layer.mergeAll(Stores.layer, RateWindows.layer, signals(undefined))

export interface HostPoolOptions {
  /** True if the layer must first migrate the database. If false, the database must already have the current schema. */
  readonly migrates: boolean
  readonly listens: boolean
}

/**
 * Provides all stores and signals with the connection pool of a host application. The layer does not close the pool.
 */
export const layerHostPool = (config: HostPoolClient.HostPoolConfig, { listens, migrates }: HostPoolOptions) => {
  const stores = Layer.merge(Stores.layer, RateWindows.layer)
  const prepared = Effect.gen(function* () {
    if (migrates) yield* migrate(config.schema)
    else yield* Migrations.requireCurrentSchema
  })
  return Layer.mergeAll(
    Layer.provide(stores, Layer.effectDiscard(prepared)),
    signals(listens ? HostPoolListener.openListeningSession(config.pool) : undefined),
    layerClock
  ).pipe(Layer.provideMerge(HostPoolClient.layer(config)))
}

const migrate = (schema: string | undefined) => Effect.andThen(SearchPath.createSchema(schema), Migrations.migrate)

const layerMigrated = (config: PostgresConfig) =>
  Layer.provide(Layer.effectDiscard(migrate(config.schema)), Layer.fresh(layerMigrationClientWithClock(config)))
