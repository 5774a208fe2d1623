/** Runs the conformance suite of every store on Effect's official client, which Effect applications use. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as RateWindows from "@partner-commentary/sql/access/RateWindows"
import * as Stores from "@partner-commentary/sql/Stores"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { registerStoreSuites } from "../test/Suites.ts"

/**
 * The time after which the pool closes an idle connection. The timeout is longer than the time by which any test
 * advances the clock.
 */
const idleTimeout = Duration.weeks(52)

const layer = Layer.unwrap(
  Effect.map(TestDatabase.used, (url) =>
    Layer.provideMerge(Layer.merge(Stores.layer, RateWindows.layer), PgClient.layer({ url, idleTimeout }))
  )
).pipe(Layer.orDie)

registerStoreSuites("the official client of Effect", layer)
