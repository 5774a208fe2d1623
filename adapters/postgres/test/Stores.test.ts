/** Runs the fast conformance suites of the stores on Postgres. The slow suites are in `test-long`. */
import { layer } from "@partner-commentary/test/postgres/TestDatabase"
import { registerFastStoreSuites } from "./Suites.ts"

registerFastStoreSuites("Postgres", layer)
