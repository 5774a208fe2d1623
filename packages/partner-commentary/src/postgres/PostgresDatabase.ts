/** Every store on one Postgres database, and the signals that its processes share. */
import * as Postgres from "@partner-commentary/postgres/Postgres"
import * as Layer from "effect/Layer"

export interface StartOptions {
  /** True if the start migrates the schema. Otherwise the schema must be the present one. */
  readonly migrates: boolean
  /** True if the process receives signals of other processes at once, over a connection that stays open. */
  readonly listens: boolean
  /** True if the service uses the database's time, so that machines with wrong clocks agree. */
  readonly keepsTime: boolean
}

export const layer = (config: Postgres.PostgresConfig, { keepsTime, listens, migrates }: StartOptions) => {
  const signals = Postgres.layerSignals(config, { listens })
  return Layer.provideMerge(
    keepsTime ? Layer.merge(signals, Postgres.layerClock) : signals,
    (migrates ? Postgres.layer : Postgres.layerWithoutMigration)(config)
  )
}
