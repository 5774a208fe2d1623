/** Every store passes its port's suite on Effect's official client, as Effect applications use it. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as RateWindows from "@partner-commentary/sql/access/RateWindows"
import * as Stores from "@partner-commentary/sql/Stores"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { registerStoreSuites } from "../test/Suites.ts"

/** Longer than any test advances the clock, because a connection is reopened each time that this time has passed. */
const idleTimeout = Duration.weeks(52)

const layer = Layer.unwrap(
  Effect.map(TestDatabase.used, (url) =>
    Layer.provideMerge(Layer.merge(Stores.layer, RateWindows.layer), PgClient.layer({ url, idleTimeout }))
  )
).pipe(Layer.orDie)

registerStoreSuites("the official client of Effect", layer)
