/** Creates an empty Postgres database for one test, and connection pools as a host application has them. */
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import pg from "pg"
import { onTestFinished } from "vitest"

/** Creates an empty database that exists until the test ends. */
export const createEmptyDatabase = async () => {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const found = Promise.withResolvers<string>()
  const held = Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(TestDatabase.empty, (address) => {
        found.resolve(Redacted.value(address))
        return Effect.promise(() => ended)
      })
    )
  )
  onTestFinished(() => {
    end()
    return held
  })
  return found.promise
}

export const createHostPool = (connectionString: string, config: pg.PoolConfig = {}) => {
  const pool = new pg.Pool({ connectionString, ...config })
  // The pool emits an error if the database is dropped before the pool's idle connections are closed.
  pool.on("error", () => {})
  onTestFinished(() => pool.end())
  return pool
}
