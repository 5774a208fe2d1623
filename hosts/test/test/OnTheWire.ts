/** The whole service on Postgres, without workers, by a line that knows what goes over it. */
import * as Postgres from "@partner-commentary/postgres/Postgres"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import { open, type Turn, type Wire } from "@partner-commentary/test/postgres/Wire"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import { TestApi } from "@partner-commentary/test/TestApi"
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

const stores = Layer.orDie(
  Layer.unwrap(Effect.map(Line, ({ url }) => Postgres.layerAsIs({ url: Redacted.make(url), poolSize: 1 })))
)

/** One connection, so that nothing is prepared twice. */
export const layer = Layer.unwrap(
  Effect.map(Line, (line) =>
    Layer.provideMerge(
      TestApi.layerMemory,
      Application.layer({
        stores: Layer.provide(stores, Layer.succeed(Line, line)),
        outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer)
      })
    )
  )
).pipe(Layer.provideMerge(Line.layer))

/** What went over the line meanwhile. */
export const during = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const { turns } = yield* Line
  const before = turns.length
  const answer = yield* effect
  return { answer, turns: turns.slice(before) }
})

/** A turn's first word, and the first table that it names: several statements at once are told apart from one. */
export const kindOf = (turn: Turn): string =>
  turn
    .map((statement) => {
      const [word = ""] = statement.split(" ")
      const table = /\b(?:FROM|INTO|UPDATE) (\w+)/.exec(statement)?.[1]
      return word === "WITH" || table === undefined ? word : `${word} ${table}`
    })
    .join(" + ")
