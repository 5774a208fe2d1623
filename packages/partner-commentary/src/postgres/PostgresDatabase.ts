/** Provides all stores on one Postgres database, and the signals between processes that share the database. */
import * as Postgres from "@partner-commentary/postgres/Postgres"
import * as Layer from "effect/Layer"

export interface StartOptions {
  /**
   * True if the service migrates the schema at its start. If false, the database must already have the current schema.
   */
  readonly migrates: boolean
  /**
   * True if the process receives signals of other processes at once. The signals need a connection that stays open.
   */
  readonly listens: boolean
  /** True if the service uses the time of the database, so that machines with wrong clocks agree on the time. */
  readonly keepsTime: boolean
}

export const layer = (config: Postgres.PostgresConfig, { keepsTime, listens, migrates }: StartOptions) => {
  const signals = Postgres.layerSignals(config, { listens })
  return Layer.provideMerge(
    keepsTime ? Layer.merge(signals, Postgres.layerClock) : signals,
    (migrates ? Postgres.layer : Postgres.layerWithoutMigration)(config)
  )
}
