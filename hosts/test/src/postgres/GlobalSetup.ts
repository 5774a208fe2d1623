/**
 * Starts one server for a test run and sets TEST_DATABASE_URL, unless this variable is already set. Removes the run's
 * databases at the end.
 */
import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import * as PostgresServer from "./PostgresServer.ts"
import { dropDatabasesOfRun } from "./TestDatabase.ts"

/** @public vitest calls this function before all tests. */
export default async () => {
  // All vitest projects of one run share the server that the first project started.
  if (process.env["TEST_DATABASE_RUN"]) return
  const run = randomBytes(4).toString("hex")
  process.env["TEST_DATABASE_RUN"] = run
  if (process.env["TEST_DATABASE_URL"]) return () => Effect.runPromise(dropDatabasesOfRun(run))
  const cluster = await PostgresServer.startPostgresServer()
  process.env["TEST_DATABASE_URL"] = cluster.url
  return cluster.stop
}
