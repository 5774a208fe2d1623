/** Provides all stores with one Postgres database, and the signals between the processes that share the database. */
import * as Postgres from "@partner-commentary/postgres/Postgres"
import * as Migrations from "@partner-commentary/sql/Migrations"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface PostgresDatabaseOptions {
  /**
   * True if the service migrates the schema at its start. If false, the database must already have the current schema.
   */
  readonly migrates: boolean
  /**
   * True if the process listens for signals of other processes, over a connection that stays open. A process that does
   * not listen for signals finds new work by polling.
   */
  readonly listens: boolean
  /** True if the service uses the time of the database, so that machines with wrong clocks agree on the time. */
  readonly keepsTime: boolean
}

export const layer = (config: Postgres.PostgresConfig, { keepsTime, listens, migrates }: PostgresDatabaseOptions) => {
  const signals = Postgres.layerSignals(config, { listens })
  const check = Layer.effectDiscard(migrates ? Effect.void : Migrations.requireCurrentSchema)
  return Layer.provideMerge(
    Layer.merge(check, keepsTime ? Layer.merge(signals, Postgres.layerClock) : signals),
    (migrates ? Postgres.layer : Postgres.layerWithoutMigration)(config)
  )
}
