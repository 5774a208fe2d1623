/** Creates an empty Postgres database for the processes of one test. */
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import type * as Process from "./Process.ts"

/**
 * Returns the environment variables for a new database, which is dropped after the test. PROCESSES is 1, because the
 * default depends on the machine's number of cores.
 */
export const makeEmptyDatabase = async (test: Process.TestCleanup): Promise<Process.EnvironmentVariables> => {
  const scope = Effect.runSync(Scope.make())
  const url = await Effect.runPromise(Scope.provide(TestDatabase.empty, scope))
  test.onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return { DATABASE_URL: Redacted.value(url), DEV: "true", PROCESSES: "1" }
}

/** Runs a statement and returns its rows. */
export const queryRows = (env: Process.EnvironmentVariables, statement: string) =>
  Effect.runPromise(
    TestDatabase.runOnDatabase(Redacted.make(env["DATABASE_URL"] ?? ""), (sql) =>
      sql.unsafe<Readonly<Record<string, unknown>>>(statement)
    )
  )
