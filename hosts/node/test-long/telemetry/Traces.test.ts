/** Tests the traces that an OpenTelemetry collector receives, from a submission to the delivered event. */
import { expect, it } from "vitest"
import * as Collector from "../../test/support/Collector.ts"
import * as Loopback from "../../test/support/Loopback.ts"
import * as Partner from "../../test/support/Partner.ts"
import * as Process from "../../test/support/Process.ts"

const content = "Who goes down this season?"

const told = async (test: Process.TestCleanup, env: Process.EnvironmentVariables = {}) => {
  const cwd = await Process.makeWorkingFolder(test)
  const collector = await Collector.startCollector(test)
  const events: Array<string> = []
  const receiver = await Loopback.startWebhookReceiver(test, (path) => {
    events.push(path)
    return 204
  })
  const { id: organization, key } = await Partner.registerTestPartner(cwd, "Acme Sports")
  const service = await Process.startService(cwd, ["serve"], {
    WEBHOOK_ALLOW_PRIVATE: "true",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    ...env
  })
  const webhook = { url: `http://${receiver}/events`, events: ["commentary.failed"] }
  expect((await Partner.callApi(service.apiRoot, key, "/webhooks", webhook)).status).toBe(201)
  const { body } = await Partner.callApi(service.apiRoot, key, "/topics", {
    content,
    persona_ids: [Partner.decliningPersonaId]
  })
  await Process.pollUntil(
    async () => events.length,
    (count) => count > 0
  )
  const topic = body.data.topic_id as string
  const { body: detail } = await Partner.callApi(service.apiRoot, key, `/topics/${topic}`)
  await service.stop()
  const { spans } = collector
  return { collector, key, organization, share: detail.data.commentaries[0].share_id as string, spans, topic }
}

type Spans = ReadonlyArray<Collector.CollectedSpan>

/** Returns all spans that parents or links connect with the given span, directly or through other spans. */
const reached = (spans: Spans, from: Collector.CollectedSpan) => {
  const idOf = ({ spanId, traceId }: { readonly spanId: string; readonly traceId: string }) => `${traceId} ${spanId}`
  const byId = new Map(spans.map((span) => [idOf(span), span]))
  const found = new Set([from])
  for (const span of found) {
    const parent = byId.get(`${span.traceId} ${span.parentSpanId}`)
    if (parent !== undefined) found.add(parent)
    for (const link of span.links) {
      const linked = byId.get(idOf(link))
      expect(linked, `${span.name} links to a span that was never exported`).toBeDefined()
      if (linked !== undefined) found.add(linked)
    }
    for (const other of spans) if (other.links.some((link) => idOf(link) === idOf(span))) found.add(other)
  }
  return [...found]
}

it("links connect all spans of a topic, from the topic's submission to the delivered event", async (test) => {
  const { collector, key, organization, share, spans, topic } = await told(test)
  const submission = spans.find(({ attributes }) => attributes["topic.id"] === topic && attributes["http.route"])
  expect(submission?.attributes).toMatchObject({ "http.route": "/partner/v1/topics", "organization.id": organization })
  if (submission === undefined) return
  const chain = reached(spans, submission)
  const names = chain.map(({ name }) => name)
  for (const name of ["topic", "DueAssignments.wake", "event", "DeliveryWorker.deliver"]) expect(names).toContain(name)
  const delivery = chain.find(({ name }) => name === "DeliveryWorker.deliver")
  expect(delivery?.attributes).toMatchObject({
    "organization.id": organization,
    "topic.id": topic,
    "share.id": share,
    "attempt.outcome": "success"
  })
  for (const { attributes, name } of chain) {
    expect(attributes, name).toMatchObject({ "organization.id": organization, "topic.id": topic })
  }
  const statements = spans.filter(({ name }) => /^sql/.test(name))
  expect(statements).toEqual([])
  for (const body of collector.bodies) for (const secret of [key, content]) expect(body).not.toContain(secret)
})

it("SQL statements are child spans of their request if the setting enables these spans", async (test) => {
  const { organization, spans, topic } = await told(test, { OTEL_TRACE_STATEMENTS: "true" })
  const submission = spans.find(({ attributes }) => attributes["topic.id"] === topic && attributes["http.route"])
  const statements = spans.filter(({ name, traceId }) => name === "sqlite" && traceId === submission?.traceId)
  expect(statements.length).toBeGreaterThan(0)
  expect(statements.some(({ attributes }) => attributes["organization.id"] === organization)).toBe(true)
})
