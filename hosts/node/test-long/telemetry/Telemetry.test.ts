/** Tests the health checks and metrics of real processes, as Prometheus and an OpenTelemetry collector receive them. */
import { expect, it } from "vitest"
import * as Collector from "../../test/support/Collector.ts"
import * as Partner from "../../test/support/Partner.ts"
import * as Process from "../../test/support/Process.ts"

const page = /(http:\/\/\S+)\/metrics/

const text = async (url: string) => {
  const response = await fetch(url)
  return { status: response.status, body: await response.text() }
}

const names = (body: string) => new Set([...body.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name ?? ""))

it("OTLP exports every metric that /metrics shows, with the configured headers", async (test) => {
  const collector = await Collector.startCollector(test)
  const [watched, exporting] = await Promise.all([
    Process.startServiceProcess(await Process.makeWorkingFolder(test), ["serve"], { ADMIN_PORT: "0" }),
    Process.startServiceProcess(await Process.makeWorkingFolder(test), ["serve"], {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20s3cret, x-scope=desk"
    })
  ])
  for (const { apiRoot } of [watched, exporting]) await text(`${apiRoot}/partner/v1/topics`)
  const shown = names((await text(page.exec(watched.stderr())?.[0] ?? "")).body)
  expect((await exporting.stop()).code).toBe(0)
  expect([...shown].filter((name) => !collector.metrics.has(name))).toEqual([])
  for (const name of standard) expect(collector.metrics).toContain(name)
  expect(collector.headers[0]).toMatchObject({ authorization: "Bearer s3cret", "x-scope": "desk" })
})

const standard = [
  "partner_commentary_database_up",
  "partner_commentary_work_due",
  "partner_commentary_work_overdue",
  "partner_commentary_work_overdue_seconds",
  "partner_commentary_mails_waiting",
  "partner_commentary_generations_stalled",
  "partner_commentary_webhook_circuits",
  "process_resident_memory_bytes",
  "process_cpu_seconds_total",
  "process_start_time_seconds",
  "nodejs_heap_size_limit_bytes",
  "nodejs_eventloop_lag_p99_seconds",
  "nodejs_eventloop_utilization_ratio"
]

it("/metrics counts due work and waiting mails by kind", async (test) => {
  const cwd = await Process.makeWorkingFolder(test)
  const service = await Process.startService(cwd, ["serve", "--no-worker"], { ADMIN_PORT: "0" })
  const { key, persona } = Partner.readDemoCredentials(service)
  await Partner.submitTopic(service.apiRoot, key, persona.id)
  const { body } = await Process.pollUntil(
    () => text(page.exec(service.stderr())?.[0] ?? ""),
    (answer) => answer.body.includes("partner_commentary_mails_waiting 1")
  )
  expect(body).toContain('partner_commentary_work_due{kind="mails"} 1')
  expect(body).toContain('partner_commentary_work_due{kind="deliveries"} 0')
  expect(body).toContain('partner_commentary_work_overdue{kind="mails"} 0')
  for (const kind of ["assignments", "tests", "mails", "deliveries", "media", "recoveries"]) {
    expect(body).toMatch(new RegExp(`^partner_commentary_work_overdue_seconds\\{kind="${kind}"\\} [\\d.]+$`, "m"))
  }
  expect(body).toContain('partner_commentary_webhook_circuits{state="half_open"} 0')
  expect(body).toMatch(/^# TYPE process_cpu_seconds_total counter$/m)
})

it("/metrics counts each event stream, both while the stream is open and after its client has disconnected", async (test) => {
  const cwd = await Process.makeWorkingFolder(test)
  const service = await Process.startService(cwd, ["serve", "--no-worker"], { ADMIN_PORT: "0" })
  const { key } = Partner.readDemoCredentials(service)
  const line = /^partner_commentary_http_requests_total\{area="partner",.*status="200"\} (\d+)$/m
  const count = async () => Number(line.exec((await text(page.exec(service.stderr())?.[0] ?? "")).body)?.[1] ?? 0)
  // All services in the test's process share their counters, so a count can start above 0.
  const before = await count()
  for (const opened of [1, 2]) {
    const client = new AbortController()
    const headers = { "x-api-key": key }
    await fetch(`${service.apiRoot}/partner/v1/events/stream`, { headers, signal: client.signal })
    if (opened === 2) client.abort()
    await Process.pollUntil(count, (present) => present === before + opened)
    client.abort()
  }
})

it("a worker answers health checks and serves metrics at ADMIN_HOST and ADMIN_PORT", async (test) => {
  const cwd = await Process.makeWorkingFolder(test)
  const { stderr } = await Process.startServiceProcess(cwd, ["worker"], {
    ADMIN_HOST: "::1",
    ADMIN_PORT: "0",
    PUBLIC_URL: "http://127.0.0.1:8080"
  })
  const admin = page.exec(stderr())?.[1] ?? ""
  expect(admin).toMatch(/^http:\/\/\[::1\]:\d+$/)
  expect(await text(`${admin}/healthz`)).toMatchObject({ status: 200 })
  expect(await text(`${admin}/readyz`)).toMatchObject({ status: 200 })
  expect((await text(`${admin}/metrics`)).body).toContain("partner_commentary_database_up 1")
})

it("a listen address that this machine does not have is refused with an error that names the variable", async (test) => {
  const cwd = await Process.makeWorkingFolder(test)
  const { code, stderr } = await Process.runCommand(cwd, ["serve"], {
    PORT: "0",
    ADMIN_HOST: "192.0.2.1",
    ADMIN_PORT: "0"
  })
  expect(code).toBe(1)
  expect(stderr).toContain("ADMIN_HOST must name an address of this machine, but 192.0.2.1 is not.")
})
