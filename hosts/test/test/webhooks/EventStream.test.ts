/** Tests `GET /events/stream`. The stream sends each event once, when it happens, until the key stops working. */
import { assert, it } from "@effect/vitest"
import { ApiKeyStore } from "@partner-commentary/core/access/ApiKeyStore"
import { ApiKeys } from "@partner-commentary/core/access/ApiKeys"
import { concurrencyPoolLimits } from "@partner-commentary/core/access/ConcurrencyLimit"
import { LongPolls } from "@partner-commentary/core/access/LongPolls"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { eventStreamTimesMs } from "@partner-commentary/server/routes/events/EventStream"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { makeDeliveriesApiReader, registerWebhook, seedDecliningPartner } from "../support/DeliveryCalls.ts"
import { openStream, readResponseText } from "../support/EventStream.ts"
import { eventually } from "../support/Eventually.ts"
import { readJson } from "../support/Json.ts"
import * as RecordedSpans from "../support/RecordedSpans.ts"
import { readReportedProblems } from "../support/WebhookCalls.ts"

type Stream = Effect.Success<ReturnType<typeof openStream>>

/** Lets other fibers run in real time. The virtual clock stands still. */
const settled = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 150)))

const waitForEvents = (stream: Stream, count: number) =>
  eventually(
    `${count} events`,
    Effect.sync(() => stream.events().length >= count && stream.events())
  )

const waitForEnd = (stream: Stream) => eventually("the end of the stream", Effect.sync(stream.isEnded))

const scene = Effect.gen(function* () {
  const partner = yield* seedDecliningPartner
  const { call } = yield* TestApi
  const list = Effect.fnUntraced(function* (query: string) {
    return (yield* readJson(yield* call(`/partner/v1/events${query}`, { key: partner.key }))).data
  })
  return { ...partner, list }
})

it.effect("the stream sends each event as it happens, with its id and type and the same bytes as a webhook", () =>
  Effect.gen(function* () {
    const { declined, key } = yield* scene
    const { call } = yield* TestApi
    yield* declined("Who goes down this season?")
    const stream = yield* openStream(key)
    const { headers, status } = stream.response
    assert.deepStrictEqual(
      [status, headers.get("content-type"), headers.get("cache-control"), headers.get("x-accel-buffering")],
      [200, "text/event-stream", "no-store, no-transform", "no"]
    )
    assert.match(headers.get("ratelimit") ?? "", /"requests_per_hour";r=\d+/)
    yield* waitForEvents(stream, 2)
    assert.match(stream.text(), /^retry: [1-4]\d{3}\n\nid: evt_/)
    for (const name of ["first", "second"]) yield* declined(`Who is ${name} this season?`)
    const seen = yield* waitForEvents(stream, 6)
    const whole = yield* call("/partner/v1/events?order=asc", { key })
    const text = yield* Effect.promise(() => whole.text())
    assert.include(text, `"data":[${seen.map(({ data }) => data).join()}]`)
    for (const [at, { data, event, id }] of seen.entries()) {
      const type = at % 2 === 0 ? "commentary.failed" : "topic.completed"
      assert.deepStrictEqual([id, event, JSON.parse(data).type], [JSON.parse(data).id, type, type])
    }
    yield* stream.close
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a stream continues after the last event of the previous stream, with no gap and no repeats", () =>
  Effect.gen(function* () {
    const { declined, key, list } = yield* scene
    const failures = "type=commentary.failed"
    for (const name of ["first", "second", "third"]) yield* declined(`Who is ${name} this season?`)
    const all = yield* list(`?order=asc&${failures}`)
    const [first, second] = all
    const ids = (stream: Stream) => stream.events().map(({ id }) => id)
    const byHeader = yield* openStream(key, `?after=${first.id}&${failures}`, { "last-event-id": second.id })
    const byQuery = yield* openStream(key, `?after=${first.id}&${failures}`)
    yield* waitForEvents(byQuery, 2)
    yield* declined("Who is the last one?")
    yield* waitForEvents(byQuery, 3)
    yield* waitForEvents(byHeader, 2)
    const [fourth] = yield* list(`?${failures}`)
    assert.deepStrictEqual(ids(byHeader), [all[2].id, fourth.id])
    assert.deepStrictEqual(ids(byQuery), [second.id, all[2].id, fourth.id])
    const none = yield* openStream(key, "?type=creator.approved")
    const late = yield* openStream(key, `?since=${new Date(Date.parse(fourth.timestamp) + 1).toISOString()}`)
    yield* declined("Who is the very last one?")
    yield* waitForEvents(byHeader, 3)
    yield* settled
    assert.deepStrictEqual([ids(none), ids(late)], [[], []])
    for (const stream of [byHeader, byQuery, none, late]) yield* stream.close
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "an invalid query is refused before the stream begins, but a stream may continue after an unknown event id",
  () =>
    Effect.gen(function* () {
      const { key } = yield* scene
      const refused = yield* openStream(key, "?type=x&since=yesterday&after=evt_1", { "last-event-id": "2" })
      yield* waitForEnd(refused)
      const fields = readReportedProblems({ status: refused.response.status, body: JSON.parse(refused.text()) })
      assert.deepStrictEqual(
        fields.map(({ field }) => field),
        ["after", "type", "since", "Last-Event-ID"]
      )
      const stream = yield* openStream(key, "", { "last-event-id": "evt_019c0e5f-03aa-7001-8000-94d0b7f3a6e2" })
      assert.strictEqual(stream.response.status, 200)
      yield* stream.close
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "an event does not appear in the streams of other organizations or environments, and a key without the scope gets no stream",
  () =>
    Effect.gen(function* () {
      const { declined, key, owner } = yield* scene
      const others = [
        yield* Seed.issueApiKey(yield* Seed.createOrganization({ name: "Other" })),
        yield* Seed.issueApiKey(owner, { environment: "test" })
      ]
      const streams = yield* Effect.forEach(others, ({ text }) => openStream(text))
      const own = yield* openStream(key)
      yield* declined("Who goes down this season?")
      yield* waitForEvents(own, 1)
      yield* settled
      for (const stream of streams) assert.match(stream.text(), /^retry: \d+\n\n$/)
      const { text } = yield* Seed.issueApiKey(owner, { scopes: ["topics:submit"] })
      const denied = yield* openStream(text)
      yield* waitForEnd(denied)
      assert.strictEqual(JSON.parse(denied.text()).error.code, "scope_denied")
      for (const stream of [own, ...streams]) yield* stream.close
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a stream sends a comment every 15 seconds, and meanwhile queries the events only once a minute", () => {
  const { spans, tracer } = RecordedSpans.make()
  return Effect.gen(function* () {
    const { key } = yield* scene
    const stream = yield* openStream(key)
    yield* settled
    const reads = () =>
      spans.filter(({ attributes }) => String(attributes.get("db.query.text")).includes("event_positions")).length
    const before = reads()
    assert.isAbove(before, 0)
    for (let beats = 1; beats <= 8; beats++) {
      yield* TestClock.adjust("14900 millis")
      yield* settled
      assert.strictEqual(stream.heartbeats(), beats - 1)
      yield* TestClock.adjust("100 millis")
      yield* eventually(
        "a heartbeat",
        Effect.sync(() => stream.heartbeats() === beats)
      )
      assert.isAtMost(reads(), before * (1 + Math.floor(beats / 4)), `after ${beats * 15} seconds`)
    }
    yield* stream.close
  }).pipe(Effect.provide(InMemory.layerWithoutWorkers()), Effect.withTracer(tracer))
})

it.effect("revoking a key immediately ends this key's streams, and no other stream", () =>
  Effect.gen(function* () {
    const { owner, key } = yield* scene
    const doomed = yield* Seed.issueApiKey(owner)
    const stream = yield* openStream(doomed.text)
    const kept = yield* openStream(key)
    yield* (yield* ApiKeys).revoke(doomed.id)
    yield* waitForEnd(stream)
    yield* settled
    assert.isFalse(kept.isEnded())
    yield* kept.close
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("if the notification of a key's revocation is lost, the key's stream ends within 5 seconds", () =>
  Effect.gen(function* () {
    const { owner } = yield* scene
    const { id, text } = yield* Seed.issueApiKey(owner)
    const stream = yield* openStream(text)
    yield* settled
    const now = yield* Instant.now
    const change = { revokedAt: now, isRevoked: true, successor: null, record: null }
    yield* (yield* ApiKeyStore).modify(id, owner.id, () => Result.succeed(change))
    yield* settled
    assert.isFalse(stream.isEnded())
    for (let step = 0; step < 10; step++) yield* TestClock.adjust("500 millis")
    yield* waitForEnd(stream)
  }).pipe(Effect.provide(InMemory.layerWithoutWorkers()))
)

it.effect("a key's streams end when the key expires, or when the grace period of the rotated key ends", () =>
  Effect.gen(function* () {
    const { owner } = yield* scene
    // The key stops working between two regular checks of the stream.
    const end = Duration.millis(600_700)
    const expiring = yield* Seed.issueApiKey(owner, {
      expiresAt: Instant.plus(yield* Instant.now, end)
    })
    const rotated = yield* Seed.issueApiKey(owner)
    const streams = [yield* openStream(expiring.text), yield* openStream(rotated.text)]
    const manager = { organizationId: owner.id, by: "test" }
    yield* (yield* ApiKeys).rotate(rotated.id, end, manager)
    yield* settled
    yield* TestClock.adjust("600600 millis")
    yield* settled
    assert.deepStrictEqual(
      streams.map(({ isEnded }) => isEnded()),
      [false, false]
    )
    yield* TestClock.adjust("100 millis")
    for (const stream of streams) yield* waitForEnd(stream)
  }).pipe(Effect.provide(InMemory.layerWithoutWorkers()))
)

it.effect("each stream ends within an hour, and immediately when the service stops", () =>
  Effect.gen(function* () {
    const { key } = yield* scene
    const stream = yield* openStream(key)
    yield* settled
    yield* TestClock.adjust(eventStreamTimesMs.shortest - 1)
    yield* settled
    assert.isFalse(stream.isEnded())
    yield* TestClock.adjust(eventStreamTimesMs.longest - eventStreamTimesMs.shortest + 1)
    yield* waitForEnd(stream)
    const next = yield* openStream(key)
    yield* (yield* LongPolls).stop
    yield* waitForEnd(next)
  }).pipe(Effect.provide(InMemory.layerWithoutWorkers()))
)

it.effect(
  "a stream counts as one request, and does not prevent other requests, even if a hundred streams are open",
  () =>
    Effect.gen(function* () {
      const { key } = yield* scene
      const { call } = yield* TestApi
      const { each } = concurrencyPoolLimits.streaming
      const left = ({ headers }: Response) => Number(headers.get("x-ratelimit-remaining"))
      const before = left(yield* call("/partner/v1/topics", { key }))
      const streams = yield* Effect.forEach(Array.from({ length: each }), () => openStream(key))
      assert.strictEqual(before - left(yield* call("/partner/v1/topics", { key })), each + 1)
      const refused = yield* call("/partner/v1/events/stream", { key })
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(
        (yield* readJson(refused)).error.message,
        `At most ${each} event streams of an organization are open at one time. Send it again when one has ended.`
      )
      const [one, ...others] = streams
      yield* one?.close ?? Effect.void
      yield* settled
      const next = yield* openStream(key)
      assert.strictEqual(next.response.status, 200)
      for (const stream of [next, ...others]) yield* stream.close
    }).pipe(Effect.provide(InMemory.layerWithoutWorkers()))
)

it.effect("the stream ends if its client does not read for a minute", () =>
  Effect.gen(function* () {
    const { declined, key } = yield* scene
    const hook = yield* registerWebhook(key, ["commentary.failed"])
    const { call } = yield* TestApi
    const { each } = concurrencyPoolLimits.streaming
    const unread = yield* Effect.forEach(Array.from({ length: each }), () => call("/partner/v1/events/stream", { key }))
    for (let count = 1; count <= 4; count++) {
      yield* declined(`Who is number ${count} this season?`)
      yield* makeDeliveriesApiReader(key, hook.id).delivered(count)
      yield* settled
    }
    assert.strictEqual((yield* call("/partner/v1/events/stream", { key })).status, 429)
    yield* TestClock.adjust(eventStreamTimesMs.stall)
    yield* settled
    const next = yield* openStream(key)
    assert.strictEqual(next.response.status, 200)
    yield* next.close
    assert.lengthOf(unread, each)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a HEAD request returns the stream's headers and opens no stream", () =>
  Effect.gen(function* () {
    const { key } = yield* scene
    const { call } = yield* TestApi
    for (let count = 0; count <= concurrencyPoolLimits.streaming.each; count++) {
      const { headers, status } = yield* call("/partner/v1/events/stream", { key, method: "HEAD" })
      assert.deepStrictEqual([status, headers.get("content-type")], [200, "text/event-stream"])
    }
    const stream = yield* call("/partner/v1/events/stream", { key })
    assert.strictEqual(yield* readResponseText(stream), "")
  }).pipe(Effect.provide(InMemory.layerWithoutWorkers()))
)
