/** Tests that an outage writes only a limited number of lines to the log of a real service. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, it } from "vitest"
import * as Partner from "../../test/support/Partner.ts"
import * as Process from "../../test/support/Process.ts"

it("during an outage the first failure is logged with a short stack, and about one line per second counts the later failures", async (test) => {
  const cwd = await Process.makeWorkingFolder(test)
  const service = await Process.startService(cwd, ["serve", "--no-worker"])
  const { key } = Partner.readDemoCredentials(service)
  expect((await Partner.callApi(service.apiRoot, key, "/topics")).status).toBe(200)
  const database = new DatabaseSync(join(cwd, "data", "partner-commentary.db"), { timeout: 10_000 })
  database.exec("ALTER TABLE topics RENAME TO topics_elsewhere")
  database.close()

  const begun = performance.now()
  for (let time = 0; time < 60; time++) {
    expect((await Partner.callApi(service.apiRoot, key, "/topics")).status).toBe(500)
  }
  const seconds = (performance.now() - begun) / 1000
  const { stderr } = await service.stop()
  const lines = stderr
    .split("\n")
    .filter((line) => line.includes("A request failed"))
    .map((line) => JSON.parse(line))
  expect(lines[0].cause).toContain("no such table: topics")
  expect(lines[0].cause).not.toContain("node:")
  expect(lines[0].cause.length).toBeLessThan(1500)
  expect(lines.length).toBeLessThanOrEqual(2 + Math.ceil(seconds))
  expect(lines.slice(1).filter(({ cause }) => cause !== undefined)).toEqual([])
  expect(lines.reduce((sum, { annotations }) => sum + (annotations.count ?? 1), 0)).toBe(60)
})
