/** Runs the conformance suite of every store on Postgres. */
import { layer } from "@partner-commentary/test/postgres/TestDatabase"
import { registerStoreSuites } from "./Suites.ts"

registerStoreSuites("Postgres", layer)
