/** Runs the slow conformance suites of the stores on Postgres. */
import { layer } from "@partner-commentary/test/postgres/TestDatabase"
import { registerSlowStoreSuites } from "../test/Suites.ts"

registerSlowStoreSuites("Postgres", layer)
