/** Runs the conformance suite of every store on a host's `pg.Pool`, even with unusual type parsers. */
import * as HostPoolClient from "@partner-commentary/postgres/HostPoolClient"
import * as RateWindows from "@partner-commentary/sql/access/RateWindows"
import * as Stores from "@partner-commentary/sql/Stores"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import pg from "pg"
import { registerStoreSuites } from "../test/Suites.ts"

const noValue = 2278

/** The column types that all drivers return in the same form. */
const alike: ReadonlyArray<number> = [pg.types.builtins.TEXT, pg.types.builtins.INT4, pg.types.builtins.FLOAT8, noValue]

/** Replaces each value whose type is not in `alike` by an invalid value, so that a store that reads the value fails. */
const getTypeParser = ((id: number) =>
  alike.includes(id) ? pg.types.getTypeParser(id) : () => `a value of type ${id}`) as typeof pg.types.getTypeParser

const hostPool = (url: Redacted.Redacted) =>
  Effect.acquireRelease(
    Effect.sync(() => new pg.Pool({ connectionString: Redacted.value(url), types: { getTypeParser } })),
    (pool) => Effect.promise(() => pool.end())
  )

const layer = Layer.unwrap(
  Effect.gen(function* () {
    const pool = yield* hostPool(yield* TestDatabase.used)
    return Layer.provideMerge(Layer.merge(Stores.layer, RateWindows.layer), HostPoolClient.layer({ pool }))
  })
)

registerStoreSuites("a host's pool", layer)
