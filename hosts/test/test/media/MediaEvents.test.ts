/** Tests `media.ready`. Each file causes one event, in the transaction that stores the file's URL. */
import { assert, it } from "@effect/vitest"
import { recordFinishedMediaFile } from "@partner-commentary/core/commentary/MediaJob"
import { MediaJobStore } from "@partner-commentary/core/commentary/MediaJobStore"
import { MediaWorker } from "@partner-commentary/core/commentary/MediaWorker"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { ScriptedMedia } from "@partner-commentary/test/ScriptedMedia"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { makeDeliveriesApiReader, readWebhookRequests, registerWebhook } from "../support/DeliveryCalls.ts"
import { readJson } from "../support/Json.ts"
import { createApprovedTopic, drainJobs, layerWithMedia } from "../support/MediaScene.ts"
import { getJson } from "../support/Requests.ts"

const atOnce = { concurrency: "unbounded" } as const

const readyEvents = (key: string) => Effect.map(getJson(key, "/events?type=media.ready"), ({ data }) => data)

const outline = ({ data, sequence, type }: { data: Record<string, unknown>; sequence: number; type: string }) => [
  type,
  sequence,
  data["output_type"] ?? null
]

it.effect("each file that becomes ready causes an event with its URL, for webhooks and in the list of events", () =>
  Effect.gen(function* () {
    const { entry, key, persona, shareId, topicId } = yield* createApprovedTopic(["audio", "video"])
    const hook = yield* registerWebhook(key, ["media.ready"], "https://example.com/media")
    yield* TestClock.adjust("1 minute")
    yield* drainJobs
    yield* drainJobs
    const { audio_url, commentary_id, content, video_url } = yield* entry
    const events = yield* readyEvents(key)
    assert.sameDeepMembers(
      events.map(({ data }: { data: { output_type: string } }) => data.output_type),
      ["audio", "video"]
    )
    const [second, first] = events
    assert.deepStrictEqual([first.sequence, second.sequence], [2, 3])
    const { commentary, ...data } = second.data
    assert.deepStrictEqual(data, {
      topic_id: topicId,
      external_reference: "title",
      metadata: {},
      share_id: shareId,
      persona: { id: persona.id, name: persona.name },
      status: "creator_approved",
      output_type: second.data.output_type,
      topic: { status: "completed", summary: { total_personas: 1, completed: 1, pending: 0, failed: 0 } }
    })
    assert.deepInclude(commentary, { id: commentary_id, content, audio_url, video_url, partner_approved_at: null })
    for (const { data } of events) assert.isString(data.commentary[`${data.output_type}_url`])
    yield* makeDeliveriesApiReader(key, hook.id).delivered(2)
    const sent = (yield* readWebhookRequests).filter(({ url }) => url === "https://example.com/media")
    assert.sameDeepMembers(
      sent.map(({ body }) => JSON.parse(body)),
      events
    )
  }).pipe(Effect.provide(layerWithMedia("audio", "video")))
)

it.effect("a topic's media.ready event goes only to the webhooks that the topic names", () =>
  Effect.gen(function* () {
    const { key } = yield* createApprovedTopic(["audio"], "Who takes the cup this season?", { webhook_ids: [] })
    const hook = yield* registerWebhook(key, ["media.ready"], "https://example.com/media")
    yield* drainJobs
    assert.lengthOf(yield* readyEvents(key), 1)
    assert.deepStrictEqual(yield* makeDeliveriesApiReader(key, hook.id).list(), [])
  }).pipe(Effect.provide(layerWithMedia("audio")))
)

it.effect(
  "the sequence numbers of an assignment's events increase, even if the partner accepts before the media file is ready",
  () =>
    Effect.gen(function* () {
      const media = yield* ScriptedMedia
      const { call } = yield* TestApi
      yield* media.failNext({ permanent: false })
      const { entry, key, topicId } = yield* createApprovedTopic(["audio"])
      yield* drainJobs
      const { commentary_id: id } = yield* entry
      yield* TestClock.adjust("1 second")
      yield* call(`/partner/v1/topics/${topicId}/commentaries/${id}/approve`, { method: "POST", key })
      yield* TestClock.adjust("1 minute")
      yield* drainJobs
      const { data } = yield* getJson(key, "/events?order=asc")
      assert.deepStrictEqual(data.map(outline), [
        ["creator.approved", 1, null],
        ["topic.completed", 1, null],
        ["partner.approved", 2, null],
        ["media.ready", 3, "audio"]
      ])
      assert.isString(data[3].data.commentary.partner_approved_at)
    }).pipe(Effect.provide(layerWithMedia("audio")))
)

it.effect("several attempts for one file cause one event, even if they end at the same time", () =>
  Effect.gen(function* () {
    const worker = yield* MediaWorker
    const store = yield* AssignmentStore
    const { key, shareId, urls } = yield* createApprovedTopic(["audio", "video"])
    const lost = yield* worker.claim(10)
    yield* TestClock.adjust("90 seconds")
    const again = yield* worker.claim(10)
    assert.deepStrictEqual([lost.length, again.length], [2, 2])
    yield* Effect.forEach([...lost, ...again], worker.run, atOnce)
    const events = yield* readyEvents(key)
    assert.sameDeepMembers(events.map(outline), [
      ["media.ready", 2, events[1].data.output_type],
      ["media.ready", 3, events[0].data.output_type]
    ])
    // If a later attempt stores the media file at another address, the URL changes without an event.
    for (const job of again) {
      yield* store.modify(shareId, (present) =>
        Result.succeed(recordFinishedMediaFile(present, job, `https://a/${job.kind}`))
      )
    }
    assert.deepStrictEqual(yield* urls, ["https://a/audio", "https://a/video"])
    assert.strictEqual(yield* (yield* MediaJobStore).restart(shareId, yield* Clock.currentTimeMillis), 0)
    assert.deepStrictEqual(yield* readyEvents(key), events)
  }).pipe(Effect.provide(layerWithMedia("audio", "video")))
)

it.effect("if the URL cannot be stored, there is no event, and the next attempt stores the URL and the event", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { key, urls } = yield* createApprovedTopic(["audio"])
    yield* sql`ALTER TABLE media_jobs RENAME COLUMN settled_at TO lost_at`
    yield* Effect.exit(drainJobs)
    yield* sql`ALTER TABLE media_jobs RENAME COLUMN lost_at TO settled_at`
    assert.deepStrictEqual([yield* urls, yield* readyEvents(key)], [[null, null], []])
    yield* TestClock.adjust("90 seconds")
    yield* drainJobs
    assert.isString((yield* urls)[0])
    assert.lengthOf(yield* readyEvents(key), 1)
  }).pipe(Effect.provide(layerWithMedia("audio")))
)

it.effect("a file that fails permanently causes no event", () =>
  Effect.gen(function* () {
    yield* (yield* ScriptedMedia).failNext({ permanent: true })
    const { key } = yield* createApprovedTopic(["audio"])
    yield* drainJobs
    assert.deepStrictEqual(yield* readyEvents(key), [])
  }).pipe(Effect.provide(layerWithMedia("audio")))
)

it.effect("a long-polling request for events gets its response when a file is ready", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const { key } = yield* createApprovedTopic(["audio"])
    const { pagination } = yield* getJson(key, "/events?order=asc")
    const path = `/partner/v1/events?after=${pagination.next_cursor}`
    const [answer] = yield* Effect.all([call(path, { key, headers: { prefer: "wait=30" } }), drainJobs], atOnce)
    assert.deepStrictEqual((yield* readJson(answer)).data.map(outline), [["media.ready", 2, "audio"]])
  }).pipe(Effect.provide(layerWithMedia("audio")))
)
