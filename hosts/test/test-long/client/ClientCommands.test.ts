/** Tests the commands `listen` and `trigger` of the client's command line against a service in memory. */
import { PartnerCommentary, type PastEvent, verifyWebhook } from "@partner-commentary/client"
import { TestPartnerCommentary } from "@partner-commentary/test"
import { expect, it, vi } from "vitest"
import { startCommand, waitForLine } from "../../../../packages/client/test/cli/CommandLine.ts"

const address = "http://localhost:3000/hook"

/** Starts the service, and a receiver that answers with the given statuses and records the requests. */
const scene = async (environment: "live" | "test" = "test", statuses: ReadonlyArray<number> = []) => {
  const pc = await TestPartnerCommentary.make()
  const { organization, personas } = await pc.seed({ personas: ["Ada Vance"] })
  const key = await pc.key(organization, { environment })
  const received: Array<Request> = []
  let outage = false
  let streams = 0
  let current = new AbortController()
  const terminal = {
    environment: { PARTNER_COMMENTARY_API_KEY: key, PARTNER_COMMENTARY_BASE_URL: "http://test.invalid" },
    fetch: async (url: string, init: RequestInit) => {
      if (url !== address) {
        const signal = AbortSignal.any([current.signal, ...(init.signal ? [init.signal] : [])])
        if (outage) return new Response("", { status: 503 })
        const response = await pc.fetch(new Request(url, { ...init, signal }))
        if (new URL(url).pathname.endsWith("/events/stream")) streams++
        return response
      }
      received.push(new Request(url, init))
      return new Response("seen", { status: statuses[received.length - 1] ?? 200 })
    }
  }
  const client = new PartnerCommentary({ apiKey: key, baseUrl: "http://test.invalid", fetch: terminal.fetch })
  return {
    pc,
    personas,
    client,
    received,
    listen: (...flags: ReadonlyArray<string>) => startCommand(["listen", "--forward-to", address, ...flags], terminal),
    trigger: async (...words: ReadonlyArray<string>) => {
      const { ended, stderr, stdout } = startCommand(["trigger", ...words], terminal)
      expect([await ended, stderr]).toEqual([0, []])
      return stdout[0] ?? ""
    },
    streams: () => streams,
    /** Starts or ends a simulated outage of the service. An outage also closes the open event streams. */
    fail: (now: boolean) => {
      outage = now
      current.abort()
      current = new AbortController()
    },
    [Symbol.asyncDispose]: () => pc.dispose()
  }
}

const isReady = (lines: ReadonlyArray<string>) =>
  vi.waitFor(() => expect(lines.join("\n")).toContain("Forwarding new events to"), 20_000)

it.concurrent("`listen` forwards each new event with a valid signature, and does not forward earlier events", async () => {
  await using all = await scene()
  await all.trigger("commentary.failed")
  const listening = all.listen()
  await isReady(listening.stderr)
  const secret = /secret is (whsec_\S+)$/.exec(listening.stderr.join("\n"))?.[1] ?? ""
  const played = await all.trigger("creator.approved")
  const id = /evt_\S+/.exec(played)?.[0] ?? "none"
  expect(await waitForLine(listening, (line) => line.includes(id))).toMatch(
    /^\d\d:\d\d:\d\d {2}creator\.approved {2}evt_\S+ {2}200 {2}\d+ ms$/
  )
  await waitForLine(listening, (line) => line.includes("topic.completed"))
  expect(await listening.stop()).toBe(0)
  expect(all.received).toHaveLength(2)
  const [request] = all.received
  const event = await verifyWebhook(await request!.text(), request!.headers, secret)
  expect(event).toEqual((await all.client.events.list({ type: "creator.approved" })).data[0])
})

it.concurrent("`listen` forwards each event once and in order, and --print-json prints each event as one line of JSON", async () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLjsw"
  await using all = await scene("test", [200, 200, 500])
  const listening = all.listen("--print-json", "--secret", secret)
  await isReady(listening.stderr)
  const first = JSON.parse(await all.trigger("creator.approved", "--print-json"))
  const second = JSON.parse(await all.trigger("commentary.failed", "--reason", "withdrawn", "--print-json"))
  const third = JSON.parse(await all.trigger("partner.approved", "--print-json"))
  await waitForLine(listening, (line) => line.includes(third.event_id))
  const fourth = JSON.parse(await all.trigger("commentary.failed", "--print-json"))
  await waitForLine(listening, (line) => line.includes(fourth.event_id))
  await listening.stop()

  const [ready, ...lines] = listening.stdout.map((line) => JSON.parse(line))
  expect(ready).toEqual({ ready: true, forward_to: address })
  expect(lines.filter(({ event }) => event.type === "topic.completed").length).toBeGreaterThanOrEqual(3)
  expect(
    lines.filter(({ event: { data, id, type } }) =>
      data.topic_id === third.topic_id ? id === third.event_id : type !== "topic.completed"
    )
  ).toMatchObject([
    { event: { id: first.event_id }, status: 200, error: null, response_excerpt: "seen" },
    { event: { id: second.event_id, data: { reason: "withdrawn" } }, status: 500, error: expect.any(String) },
    { event: { id: third.event_id, type: "partner.approved" }, status: 200 },
    { event: { id: fourth.event_id, data: { reason: "declined" } }, status: 200 }
  ])
  expect(new Set(lines.map(({ event }) => event.id)).size).toBe(lines.length)
})

it.concurrent("`listen --events` forwards only events of the given types", async () => {
  await using all = await scene()
  const listening = all.listen("--events", "partner.approved", "--print-json")
  await isReady(listening.stderr)
  const { event_id } = JSON.parse(await all.trigger("partner.approved", "--print-json"))
  await waitForLine(listening, (line) => line.includes(event_id))
  await listening.stop()
  expect(listening.stdout).toHaveLength(2)
})

it.concurrent.each(["declined", "expired", "generation_failed", "approval_timeout", "withdrawn"])(
  "trigger commentary.failed --reason %s creates a topic that fails for this reason",
  async (reason) => {
    await using all = await scene()
    const { event_id } = JSON.parse(await all.trigger("commentary.failed", "--reason", reason, "--print-json"))
    const [completed, event] = (await all.client.events.list()).data
    expect(event).toMatchObject({ id: event_id, type: "commentary.failed", data: { reason } })
    expect(completed).toMatchObject({ type: "topic.completed", data: { topic_id: event?.data.topic_id } })
  }
)

it.concurrent("`trigger topic.completed` creates an approved topic, and `listen --events` forwards only that type", async () => {
  await using all = await scene()
  const listening = all.listen("--events", "topic.completed", "--print-json")
  await isReady(listening.stderr)
  const { event_id, topic_id } = JSON.parse(await all.trigger("topic.completed", "--print-json"))
  const line = await waitForLine(listening, (line) => line.includes(event_id))
  await listening.stop()
  expect(JSON.parse(line)).toMatchObject({ event: { type: "topic.completed", data: { topic_id } }, status: 200 })
  expect(listening.stdout).toHaveLength(2)
})

it.concurrent("`listen` reports an outage of the service, then continues and loses no event", {
  timeout: 60_000
}, async () => {
  await using all = await scene()
  const listening = all.listen()
  await isReady(listening.stderr)
  // The outage starts after the stream is open, because `listen` would otherwise report a connection error.
  await vi.waitFor(() => expect(all.streams()).toBeGreaterThan(0), 20_000)
  const { topic_id } = await all.client.topics.create({
    content: "Who wins the derby?",
    persona_ids: ["7e570000-0000-4000-8000-000000000001"]
  })
  all.fail(true)
  await vi.waitFor(() => expect(listening.stderr.join("\n")).toMatch(/Status 503 .* Trying again\.$/), 30_000)
  await all.pc.clock.advance("10 seconds")
  all.fail(false)
  await waitForLine(listening, (line) => line.includes("creator.approved"))
  await listening.stop()
  const event: PastEvent = await all.received[0]!.json()
  expect(event.data.topic_id).toBe(topic_id)
})

it.concurrent("`listen` accepts a live key only with the option --live", async () => {
  await using all = await scene("live")
  const refused = all.listen()
  expect(await refused.ended).toBe(2)
  const listening = all.listen("--live")
  await isReady(listening.stderr)
  await all.client.topics.create({ content: "Who wins the derby?", persona_ids: [all.personas[0].id] })
  await all.pc.creator(all.personas[0]).decline()
  await waitForLine(listening, (line) => line.includes("commentary.failed"))
  expect(await listening.stop()).toBe(0)
})
