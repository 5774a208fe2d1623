/** Every store passes its port's suite on Postgres. */
import { layer } from "@partner-commentary/test/postgres/TestDatabase"
import { registerStoreSuites } from "./Suites.ts"

registerStoreSuites("Postgres", layer)
