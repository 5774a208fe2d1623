/** The whole service on Postgres, connected through a proxy that records the statements. */
import * as Postgres from "@partner-commentary/postgres/Postgres"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import { open, type Turn, type Wire } from "@partner-commentary/test/postgres/Wire"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

export class Line extends Context.Service<Line, Wire>()("@partner-commentary/test/OnTheWire/Line") {
  static readonly layer = Layer.effect(
    Line,
    Effect.flatMap(TestDatabase.used, (url) =>
      Effect.acquireRelease(
        Effect.promise(() => open(Redacted.value(url))),
        (wire) => Effect.promise(wire.close)
      )
    )
  )
}

const storesBy = ({ url }: Wire, poolSize: number) =>
  Layer.orDie(Postgres.layerWithoutMigration({ url: Redacted.make(url), poolSize }))

/** Through the proxy, without workers, and on one connection, so that no statement is prepared twice. */
export const still = Layer.unwrap(
  Effect.map(Line, (line) => InMemory.layerWithoutWorkers({ stores: storesBy(line, 1) }))
)

/** Through the proxy, with workers in the background. */
export const atWork = Layer.unwrap(Effect.map(Line, (line) => InMemory.layerWith({ stores: storesBy(line, 10) })))

export const layer = Layer.provideMerge(still, Line.layer)

/** The recorded turns during the effect, except for rate windows. Those of concurrent requests share a separate transaction. */
export const during = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const { turns } = yield* Line
  const before = turns.length
  const answer = yield* effect
  return {
    answer,
    turns: turns.slice(before).filter((turn) => !turn.every((statement) => statement.includes("rate_windows")))
  }
})

/** For each statement of a turn, its first word and the first table that it names. */
export const kindOf = (turn: Turn): string =>
  turn
    .map((statement) => {
      const [word = ""] = statement.split(" ")
      const table = /\b(?:FROM|INTO|UPDATE) (?!UNNEST\b)(\w+)/.exec(statement)?.[1]
      return word === "WITH" || table === undefined ? word : `${word} ${table}`
    })
    .join(" + ")
