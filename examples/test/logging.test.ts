/** Tests that pino writes the log lines of the service, with pino's levels and the service's fields. */
import { expect, it } from "vitest"
import { createExampleApplication } from "../logging.ts"

it("if the service is mounted at a path that differs from its URL, the application's pino logs a warning", async (test) => {
  const lines: Array<Record<string, unknown>> = []
  const { pc } = createExampleApplication({ write: (line) => lines.push(JSON.parse(line)) })
  test.onTestFinished(pc.stop)
  await pc.fetch(new Request("http://127.0.0.1:3000/other/partner/v1/topics"))
  expect(lines).toMatchObject([{ level: 40, msg: expect.stringContaining("Requests arrive below /other") }])
})
