/** Every store keeps its port's promises on Postgres. */
import { layer } from "@partner-commentary/test/postgres/TestDatabase"
import { suites } from "./Suites.ts"

suites("Postgres", layer)
