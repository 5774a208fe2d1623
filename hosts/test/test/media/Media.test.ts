/**
 * Tests partners' view of audio and video. Media files are made after the approval if the topic requests them, and
 * never delay the text.
 */
import { assert, it } from "@effect/vitest"
import { CreatorAdministration } from "@partner-commentary/core/creator/CreatorAdministration"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import { ScriptedMedia } from "@partner-commentary/test/ScriptedMedia"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { approvedText, createApprovedTopic, drainJobs, layerWithMedia, startTime } from "../support/MediaScene.ts"
import { getJson, submitTopic } from "../support/Requests.ts"

const rows = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT * FROM media_jobs`)

it.effect("the approved text is converted to audio, every view shows the audio's URL, and no status changes", () =>
  Effect.gen(function* () {
    const media = yield* ScriptedMedia
    const { entry, key, persona, topicId } = yield* createApprovedTopic(["text", "audio"])
    const status = yield* getJson(key, `/topics/${topicId}/status`)
    assert.deepInclude(yield* entry, { content: approvedText, audio_url: null, video_url: null })
    yield* drainJobs
    const { audio_url: url } = yield* entry
    assert.match(url, /^https:\/\/media\.example\.org\/[0-9A-Za-z]{32}\.mp3$/)
    assert.deepStrictEqual(yield* media.requests, [
      { kind: "audio", text: approvedText, persona: { id: persona.id, name: persona.name } }
    ])
    const stored = (yield* media.stored).get(url.split("/").at(-1))
    assert.strictEqual(new TextDecoder().decode(stored?.bytes), `audio of ${persona.name}: ${approvedText}`)
    assert.deepInclude(yield* entry, { content: approvedText, audio_url: url, video_url: null })
    for (const path of [`/topics/${topicId}`, "/topics/by-reference/title"]) {
      const [first] = (yield* getJson(key, path)).data.commentaries
      assert.deepInclude(first.commentary, { content: approvedText, audio_url: url, video_url: null })
    }
    assert.deepStrictEqual(yield* getJson(key, `/topics/${topicId}/status`), status)
  }).pipe(Effect.provide(layerWithMedia("audio")))
)

it.effect("audio and video are made from the same text, and each file has its own name", () =>
  Effect.gen(function* () {
    const { urls } = yield* createApprovedTopic(["audio", "video"])
    yield* drainJobs
    const [audio, video] = yield* urls
    assert.match(audio, /\.mp3$/)
    assert.match(video, /\.mp4$/)
    assert.notStrictEqual(audio.slice(0, -4), video.slice(0, -4))
  }).pipe(Effect.provide(layerWithMedia("audio", "video")))
)

it.effect("a media type that the host supports is not made if the topic does not request it", () =>
  Effect.gen(function* () {
    const { entry, urls } = yield* createApprovedTopic(["text"])
    yield* drainJobs
    assert.deepStrictEqual(yield* urls, [null, null])
    assert.strictEqual((yield* entry).content, approvedText)
    assert.deepStrictEqual(yield* (yield* ScriptedMedia).requests, [])
    assert.deepStrictEqual(yield* rows, [])
  }).pipe(Effect.provide(layerWithMedia("audio", "video")))
)

it.effect("the URL of a media type that the host does not support stays null, and the text is available", () =>
  Effect.gen(function* () {
    const { entry, urls } = yield* createApprovedTopic(["audio", "video"])
    yield* drainJobs
    const [audio, video] = yield* urls
    assert.isString(audio)
    assert.isNull(video)
    assert.strictEqual((yield* entry).content, approvedText)
  }).pipe(Effect.provide(layerWithMedia("audio")))
)

it.effect("a service without media adapters stores no media jobs", () =>
  Effect.gen(function* () {
    const { urls } = yield* createApprovedTopic(["audio", "video"])
    yield* drainJobs
    assert.deepStrictEqual(yield* urls, [null, null])
    assert.deepStrictEqual(yield* rows, [])
  }).pipe(Effect.provide(layerWithMedia()))
)

it.effect(
  "the approval event is sent immediately with a null URL, and media.ready and later events contain the URL",
  () =>
    Effect.gen(function* () {
      const media = yield* ScriptedMedia
      const { entry, key, topicId, urls } = yield* createApprovedTopic(["audio"])
      yield* media.failNext({ permanent: false })
      yield* drainJobs
      const [sent] = yield* (yield* InMemoryWebhookReceivers).sent
      const { data } = JSON.parse(sent?.body ?? "{}")
      assert.deepInclude(data.commentary, { content: approvedText, audio_url: null, video_url: null })
      yield* TestClock.adjust("1 minute")
      yield* drainJobs
      const [url] = yield* urls
      const { call } = yield* TestApi
      const { commentary_id: id } = yield* entry
      yield* call(`/partner/v1/topics/${topicId}/commentaries/${id}/approve`, { method: "POST", key })
      const events = yield* getJson(key, "/events")
      assert.deepStrictEqual(
        // biome-ignore lint/suspicious/noExplicitAny: JSON
        events.data.map((event: any) => [event.type, event.data.commentary?.audio_url]),
        [
          ["partner.approved", url],
          ["media.ready", url],
          ["topic.completed", undefined],
          ["creator.approved", null]
        ]
      )
    }).pipe(Effect.provide(layerWithMedia("audio")))
)

it.effect("after a creator is erased, the approved text keeps its audio, and audio in progress is still stored", () =>
  Effect.gen(function* () {
    const { erase } = yield* CreatorAdministration
    const first = yield* createApprovedTopic(["audio"])
    yield* drainJobs
    const before = yield* first.urls
    yield* erase(first.persona.creator.email)
    assert.deepStrictEqual(yield* first.urls, before)
    const second = yield* createApprovedTopic(["audio"], "Who takes the cup this season?")
    yield* erase(second.persona.creator.email)
    yield* drainJobs
    assert.isString((yield* second.urls)[0])
  }).pipe(Effect.provide(layerWithMedia("audio")))
)

it.effect("the test environment makes no audio, and the local generator of its drafts contacts no server", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(startTime)
    const owner = yield* Seed.createOrganization()
    const persona = yield* Seed.createPersona(owner)
    const { text: key } = yield* Seed.issueApiKey(owner, { environment: "test" })
    const id = yield* submitTopic(key, "Who takes the title?", [persona], { output_types: ["audio", "video"] })
    for (let step = 0; step < 4; step++) {
      yield* TestClock.adjust("2 seconds")
      yield* drainJobs
    }
    const [entry] = (yield* getJson(key, `/topics/${id}/commentaries`)).data.commentaries
    assert.deepStrictEqual([entry.audio_url, entry.video_url], [null, null])
    assert.deepStrictEqual(yield* (yield* ScriptedMedia).requests, [])
  }).pipe(Effect.provide(layerWithMedia("audio", "video")))
)
