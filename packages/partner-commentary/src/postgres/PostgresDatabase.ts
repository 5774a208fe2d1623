/** Every store on one Postgres database, and what the processes on it share. */
import * as Postgres from "@partner-commentary/postgres/Postgres"
import * as Layer from "effect/Layer"

export interface Opening {
  /** Whether the schema is brought up to date; else it must be so already. */
  readonly migrates: boolean
  /** Whether the process hears at once what others do, over a connection that stays open. */
  readonly listens: boolean
  /** Whether time is the database's, so that machines with wrong clocks agree. */
  readonly keepsTime: boolean
}

export const layer = (config: Postgres.PostgresConfig, { keepsTime, listens, migrates }: Opening) => {
  const signals = Postgres.layerSignals(config, { listens })
  return Layer.provideMerge(
    keepsTime ? Layer.merge(signals, Postgres.layerClock) : signals,
    (migrates ? Postgres.layer : Postgres.layerWithoutMigration)(config)
  )
}
