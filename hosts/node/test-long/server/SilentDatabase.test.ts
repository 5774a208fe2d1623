/**
 * Tests that health checks and metrics report a suspended database server, which keeps connections open but sends no
 * response.
 */
import * as PostgresProxy from "@partner-commentary/test/postgres/PostgresProxy"
import { expect, it } from "vitest"
import * as OwnDatabase from "../../test/support/OwnDatabase.ts"
import * as Process from "../../test/support/Process.ts"

const started = async (test: Process.TestCleanup) => {
  const cwd = await Process.makeWorkingFolder(test)
  const env = await OwnDatabase.makeEmptyDatabase(test)
  const wire = await PostgresProxy.openPostgresRecordingProxy(env["DATABASE_URL"] ?? "", { writesDown: false })
  test.onTestFinished(wire.close)
  const service = await Process.startServiceProcess(cwd, ["serve"], { ...env, DATABASE_URL: wire.url, ADMIN_PORT: "0" })
  const metrics = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(service.stderr())![0]
  return { metrics, ready: `${service.apiRoot}/readyz`, service, wire }
}

const asked = async (url: string) => {
  const begun = performance.now()
  const response = await fetch(url)
  return { status: response.status, text: await response.text(), took: performance.now() - begun }
}

const has = (text: string) => (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1])

it("/readyz reports a silent database within 2 seconds, and reports when the database responds again", async (test) => {
  const { ready, wire } = await started(test)
  expect(await asked(ready)).toMatchObject({ status: 200 })
  wire.silence()
  // The service caches the previous result of /readyz for a second.
  await Process.pollUntil(
    () => asked(ready),
    ({ status, took }) => {
      expect(took).toBeLessThan(3000)
      return status === 503
    }
  )
  for (let time = 0; time < 2; time++) {
    const answer = await asked(ready)
    expect(answer.status).toBe(503)
    expect(answer.took).toBeLessThan(3000)
  }
  wire.resume()
  await Process.pollUntil(
    () => asked(ready),
    ({ status }) => status === 200
  )
})

it("with a silent database /metrics shows the process metrics and no database metrics, and the log warns once", async (test) => {
  const { metrics, ready, service, wire } = await started(test)
  await asked(ready)
  const before = has((await asked(metrics)).text)
  expect([before("partner_commentary_database_up"), before("partner_commentary_deliveries_due")]).toEqual([1, 0])
  wire.silence()
  // The service caches gauges for at most a second.
  await Process.pollUntil(
    () => asked(metrics),
    ({ text }) => has(text)("partner_commentary_database_up") === 0
  )
  for (let time = 0; time < 2; time++) {
    const { status, text, took } = await asked(metrics)
    expect([status, took < 2000]).toEqual([200, true])
    const now = has(text)
    expect(now("partner_commentary_database_up")).toBe(0)
    expect(now("process_resident_memory_bytes")).toBeGreaterThan(0)
    expect(text).toMatch(/^partner_commentary_http_requests_total\{.*area="readyz".*\} 1$/m)
    expect(text).not.toMatch(/^partner_commentary_\w*(stalled|failed|overdue_seconds|due|held|open|disabled)\b/m)
  }
  expect(service.stderr().split("The database does not respond: metrics")).toHaveLength(2)
  wire.resume()
  const { text } = await Process.pollUntil(
    () => asked(metrics),
    (answer) => has(answer.text)("partner_commentary_database_up") === 1
  )
  expect(has(text)("partner_commentary_deliveries_due")).toBe(0)
})
