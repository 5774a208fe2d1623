/** Tests that the Node host's server process returns the same responses as all other hosts. */
import { join } from "node:path"
import * as Application from "@partner-commentary/test/Application"
import * as HostConformance from "@partner-commentary/test/HostConformance"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { findFreePort } from "@partner-commentary/test/postgres/FreePort"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect, it } from "vitest"
import * as Process from "../../test/support/Process.ts"

const apiRoot = "http://commentary.example"

it("the Node host returns the same response to a request as every other host", async (test) => {
  const folder = await Process.makeWorkingFolder(test)
  const filename = join(folder, "commentary.db")
  const stores = Application.layer({ filename, outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) })
  const partner = await Effect.runPromise(Effect.provide(HostConformance.seedPartner("127.0.0.1"), stores))
  const port = await findFreePort()
  await Process.startServiceProcess(folder, ["serve"], {
    DATABASE_URL: `sqlite:${filename}`,
    PUBLIC_URL: apiRoot,
    SMTP_URL: "smtp://127.0.0.1:1",
    SIGNING_SECRET: "a secret of the tests, and long enough",
    PORT: String(port)
  })
  const ask = HostConformance.requestOverSocket({ port })
  expect(await HostConformance.checkConformance({ ask, apiRoot, partner })).toBeGreaterThan(90)
})
