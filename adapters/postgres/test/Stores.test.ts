/** Every store passes its port's suite on Postgres. */
import { layer } from "@partner-commentary/test/postgres/TestDatabase"
import { suites } from "./Suites.ts"

suites("Postgres", layer)
