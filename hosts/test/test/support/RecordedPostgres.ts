/** Runs the whole service on Postgres, through a proxy that records the statements. */
import * as Postgres from "@partner-commentary/postgres/Postgres"
import * as InMemory from "@partner-commentary/test/InMemory"
import {
  openPostgresRecordingProxy,
  type PostgresRecordingProxy,
  type RoundTripStatements
} from "@partner-commentary/test/postgres/PostgresProxy"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

export class DatabaseProxy extends Context.Service<DatabaseProxy, PostgresRecordingProxy>()(
  "@partner-commentary/test/RecordedPostgres/DatabaseProxy"
) {
  static readonly layer = Layer.effect(
    DatabaseProxy,
    Effect.flatMap(TestDatabase.used, (url) =>
      Effect.acquireRelease(
        Effect.promise(() => openPostgresRecordingProxy(Redacted.value(url))),
        (wire) => Effect.promise(wire.close)
      )
    )
  )
}

const storesBy = ({ url }: PostgresRecordingProxy, poolSize: number) =>
  Layer.orDie(Postgres.layerWithoutMigration({ url: Redacted.make(url), poolSize }))

/**
 * Provides the service without workers. The service reaches its database through the proxy, with one connection, so
 * that each statement is prepared only once.
 */
export const layerWithoutWorkers = Layer.unwrap(
  Effect.map(DatabaseProxy, (line) => InMemory.layerWithoutWorkers({ stores: storesBy(line, 1) }))
)

/** Provides the service with workers in the background. The service reaches its database through the proxy. */
export const layerWithWorkers = Layer.unwrap(
  Effect.map(DatabaseProxy, (line) => InMemory.layerWith({ stores: storesBy(line, 10) }))
)

export const layer = Layer.provideMerge(layerWithoutWorkers, DatabaseProxy.layer)

/**
 * Returns the statements of each round trip during the effect. Omits round trips that only access rate windows, because
 * concurrent requests share a transaction for their rate windows.
 */
export const recordRoundTrips = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const { roundTrips: turns } = yield* DatabaseProxy
  const before = turns.length
  const answer = yield* effect
  return {
    answer,
    turns: turns.slice(before).filter((turn) => !turn.every((statement) => statement.includes("rate_windows")))
  }
})

/** Returns the first word and the first table of each statement in a round trip. */
export const summarizeStatements = (turn: RoundTripStatements): string =>
  turn
    .map((statement) => {
      const [word = ""] = statement.split(" ")
      const table = /\b(?:FROM|INTO|UPDATE) (?!UNNEST\b)(\w+)/.exec(statement)?.[1]
      return word === "WITH" || table === undefined ? word : `${word} ${table}`
    })
    .join(" + ")
