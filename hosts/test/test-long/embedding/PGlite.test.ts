/** Tests the service on PGlite, a Postgres in WebAssembly. The start of PGlite takes seconds. */
import { PGlite } from "@electric-sql/pglite"
import { postgres } from "partner-commentary/postgres/Postgres"
import { expect, it, onTestFinished } from "vitest"
import { openEmbeddedService, runAndCheckWorkflow } from "../../test/embedding/EmbeddedStory.ts"

it("the whole workflow runs on PGlite, which has only one session", async () => {
  const database = new PGlite()
  onTestFinished(() => database.close())
  const service = openEmbeddedService(postgres(database))
  onTestFinished(service.pc.stop)
  await runAndCheckWorkflow(service)
  expect((await database.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }])
})
