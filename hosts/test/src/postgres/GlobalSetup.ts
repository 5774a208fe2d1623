/** For a run of the tests: one server, named by TEST_DATABASE_URL, unless that names one already. Nothing of the run stays on it. */
import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Cluster from "./Cluster.ts"
import { dropAll } from "./TestDatabase.ts"

/** @public vitest calls it before all tests. */
export default async () => {
  // Several projects of one run share the server of the first.
  if (process.env["TEST_DATABASE_RUN"]) return
  const run = randomBytes(4).toString("hex")
  process.env["TEST_DATABASE_RUN"] = run
  if (process.env["TEST_DATABASE_URL"]) return () => Effect.runPromise(dropAll(run))
  const cluster = await Cluster.start()
  process.env["TEST_DATABASE_URL"] = cluster.url
  return cluster.stop
}
