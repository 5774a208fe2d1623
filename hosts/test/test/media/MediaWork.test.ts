/** Tests media jobs whose attempts fail, hang, are interrupted or run twice, and jobs that the operator restarts. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { recordFinishedMediaFile } from "@partner-commentary/core/commentary/MediaJob"
import { MediaJobStore } from "@partner-commentary/core/commentary/MediaJobStore"
import { MediaWorker } from "@partner-commentary/core/commentary/MediaWorker"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import * as InMemory from "@partner-commentary/test/InMemory"
import { ScriptedMedia } from "@partner-commentary/test/ScriptedMedia"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../support/Eventually.ts"
import { approvedText, createApprovedTopic, drainJobs, layerWithMedia } from "../support/MediaScene.ts"
import { actAsCreator } from "../support/Requests.ts"

const failures = (count: number, permanent = false) => Array.from({ length: count }, () => ({ permanent }))

const attempts = Effect.flatMap(ScriptedMedia, ({ requests }) => Effect.map(requests, ({ length }) => length))

const begun = (wanted: number) => Effect.map(attempts, (count) => count >= wanted)

const schedule = ["1 minute", "10 minutes", "1 hour", "6 hours"] as const

it.effect(
  "the synthesis of audio is tried after 0, 1 min, 10 min, 1 h and 6 h, and if the last attempt succeeds, the commentary has the URL",
  () =>
    Effect.gen(function* () {
      const media = yield* ScriptedMedia
      yield* media.failNext(...failures(2))
      yield* media.loseNext(...failures(2))
      const { entry, urls } = yield* createApprovedTopic(["audio"])
      yield* drainJobs
      for (const [index, delay] of schedule.entries()) {
        assert.strictEqual(yield* attempts, index + 1)
        assert.deepInclude(yield* entry, { content: approvedText, audio_url: null })
        yield* TestClock.adjust(Duration.subtract(Duration.fromInputUnsafe(delay), Duration.millis(1)))
        yield* drainJobs
        assert.strictEqual(yield* attempts, index + 1, `not before ${delay}`)
        yield* TestClock.adjust("1 millis")
        yield* drainJobs
      }
      assert.strictEqual(yield* attempts, 5)
      assert.isString((yield* urls)[0])
      assert.lengthOf([...(yield* media.stored)], 1)
    }).pipe(Effect.provide(layerWithMedia("audio")))
)

for (const [what, fails, tried] of [
  ["five failures", failures(5), 5],
  ["a permanent failure", failures(1, true), 1]
] as const) {
  it.effect(
    `after ${what} a media job fails: the text stays available, and the operator sees the reason and can restart the job`,
    () =>
      Effect.gen(function* () {
        const media = yield* ScriptedMedia
        const mediaJobs = yield* MediaJobStore
        yield* media.failNext(...fails)
        const { entry, shareId, urls } = yield* createApprovedTopic(["audio"])
        const before = yield* entry
        yield* drainJobs
        for (const delay of schedule) {
          yield* TestClock.adjust(delay)
          yield* drainJobs
        }
        yield* TestClock.adjust("30 days")
        yield* drainJobs
        assert.strictEqual(yield* attempts, tried)
        assert.deepStrictEqual(yield* entry, before)
        const [given] = yield* mediaJobs.failed(10)
        assert.deepInclude(given, { reason: "failed as told" })
        assert.deepInclude(given?.job, { shareId, kind: "audio" })

        assert.strictEqual(yield* mediaJobs.restart(shareId, yield* Clock.currentTimeMillis), 1)
        yield* drainJobs
        assert.isString((yield* urls)[0])
        assert.deepStrictEqual(yield* mediaJobs.failed(10), [])
      }).pipe(Effect.provide(layerWithMedia("audio")))
  )
}

it.effect(
  "if a text is approved twice, its audio is made once, even if the second approval comes after the first audio",
  () =>
    Effect.gen(function* () {
      const { token, urls } = yield* createApprovedTopic(["audio"])
      yield* actAsCreator(token, "approve", { content: approvedText })
      yield* drainJobs
      const before = yield* urls
      yield* actAsCreator(token, "approve", { content: approvedText })
      yield* drainJobs
      assert.strictEqual(yield* attempts, 1)
      assert.deepStrictEqual(yield* urls, before)
      assert.lengthOf(yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT * FROM media_jobs`), 1)
    }).pipe(Effect.provide(layerWithMedia("audio")))
)

it.effect(
  "if a process dies before the media file is stored, another attempt makes the audio after the lease has expired",
  () =>
    Effect.gen(function* () {
      const { urls } = yield* createApprovedTopic(["audio"])
      const [taken] = yield* (yield* MediaWorker).claim(1)
      assert.isDefined(taken)
      yield* drainJobs
      assert.strictEqual(yield* attempts, 0)
      yield* TestClock.adjust("90 seconds")
      yield* drainJobs
      assert.isString((yield* urls)[0])
    }).pipe(Effect.provide(layerWithMedia("audio")))
)

it.effect(
  "if a process stores a file and dies before it records the file, the next attempt does not store a second file",
  () =>
    Effect.gen(function* () {
      const media = yield* ScriptedMedia
      const sql = yield* SqlClient.SqlClient
      const { urls } = yield* createApprovedTopic(["audio"])
      // The last step of a media job records the job as settled. Renaming the column `settled_at` makes only the last
      // step fail.
      yield* sql`ALTER TABLE media_jobs RENAME COLUMN settled_at TO lost_at`
      yield* Effect.exit(drainJobs)
      yield* sql`ALTER TABLE media_jobs RENAME COLUMN lost_at TO settled_at`
      assert.strictEqual((yield* media.stored).size, 1)
      assert.deepStrictEqual(yield* urls, [null, null])
      yield* TestClock.adjust("90 seconds")
      yield* drainJobs
      assert.strictEqual(yield* attempts, 2)
      const [url] = yield* urls
      assert.deepStrictEqual([...(yield* media.stored).keys()], [url.split("/").at(-1)])
    }).pipe(Effect.provide(layerWithMedia("audio")))
)

it.effect("a media job fails permanently if every process that claims it dies", () =>
  Effect.gen(function* () {
    const mediaWorker = yield* MediaWorker
    const { urls } = yield* createApprovedTopic(["audio"])
    for (let death = 0; death < 5; death++) {
      assert.lengthOf(yield* mediaWorker.claim(1), 1)
      yield* TestClock.adjust("90 seconds")
    }
    yield* drainJobs
    assert.strictEqual(yield* attempts, 0)
    assert.deepStrictEqual(yield* urls, [null, null])
    const [given] = yield* (yield* MediaJobStore).failed(10)
    assert.strictEqual(given?.reason, "the last attempt had no result: its process ended or hung")
  }).pipe(Effect.provide(layerWithMedia("audio")))
)

it.effect(
  "a second attempt starts when a hanging attempt's lease ends; the first attempt's late success is stored, its late failure is ignored",
  () =>
    Effect.gen(function* () {
      const mediaWorker = yield* MediaWorker
      const mediaJobs = yield* MediaJobStore
      const { shareId, urls } = yield* createApprovedTopic(["audio"])
      const [hung] = yield* mediaWorker.claim(1)
      yield* TestClock.adjust("90 seconds")
      const [second] = yield* mediaWorker.claim(1)
      if (hung === undefined || second === undefined) return assert.fail("it was not taken twice")
      const now = yield* Clock.currentTimeMillis
      yield* mediaJobs.settle(hung, { state: "failed", reason: "late" }, now)
      assert.deepStrictEqual(yield* mediaJobs.failed(10), [])
      const late = "https://media.example.org/late.mp3"
      yield* (yield* AssignmentStore).modify(shareId, (present) =>
        Result.succeed(recordFinishedMediaFile(present, hung, late))
      )
      assert.deepStrictEqual(yield* urls, [late, null])
      yield* mediaJobs.settle(second, { state: "failed", reason: "later still" }, now)
      assert.deepStrictEqual(yield* mediaJobs.failed(10), [])
      assert.strictEqual(yield* mediaJobs.restart(shareId, now), 0)
      assert.isTrue(Option.isNone(yield* mediaJobs.nextDue(["audio", "video"])))
    }).pipe(Effect.provide(layerWithMedia("audio")))
)

it.effect(
  "after a clean stop, an interrupted media job is due immediately, and the interrupted attempt does not count",
  () =>
    Effect.gen(function* () {
      const media = yield* ScriptedMedia
      const mediaWorker = yield* MediaWorker
      yield* media.holdNext(Effect.never)
      const { urls } = yield* createApprovedTopic(["audio"])
      const [taken] = yield* mediaWorker.claim(1)
      if (taken === undefined) return assert.fail("nothing was due")
      const making = yield* Effect.forkChild(mediaWorker.run(taken), { startImmediately: true })
      yield* eventually("the attempt", begun(1))
      yield* Fiber.interrupt(making)
      assert.deepStrictEqual(yield* mediaWorker.nextDue, Option.some(yield* Clock.currentTimeMillis))
      const [again] = yield* mediaWorker.claim(1)
      assert.deepStrictEqual(again, { ...taken, ticket: taken.ticket + 1 })
      yield* mediaWorker.run(again ?? taken)
      assert.isString((yield* urls)[0])
    }).pipe(Effect.provide(layerWithMedia("audio")))
)

it.effect("several workers in two processes on one database make each media file once", () =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "media-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const process = () =>
      Layer.build(Layer.fresh(InMemory.layerWithoutWorkers({ filename: join(folder, "one.db"), media: ["audio"] })))
    const one = yield* process()
    const other = yield* process()
    const stories = yield* Effect.forEach(
      Array.from({ length: 12 }, (_, index) => index),
      (index) => Effect.provide(createApprovedTopic(["audio"], `Who takes title number ${index}?`), one)
    )
    yield* Effect.all(
      [Effect.provide(drainJobs, one), Effect.provide(drainJobs, other), Effect.provide(drainJobs, other)],
      {
        concurrency: "unbounded"
      }
    )
    for (const { urls } of stories) assert.isString((yield* Effect.provide(urls, one))[0])
    const made = (yield* Effect.provide(attempts, one)) + (yield* Effect.provide(attempts, other))
    assert.strictEqual(made, 12)
  })
)

it.effect("hanging media jobs delay neither the approved texts nor the audio of another topic", () =>
  Effect.gen(function* () {
    const media = yield* ScriptedMedia
    yield* media.holdNext(Effect.never, Effect.never, Effect.never)
    const stuck = yield* Effect.forEach([1, 2, 3], (number) =>
      Effect.tap(createApprovedTopic(["audio"], `Who takes title number ${number}?`), () =>
        eventually("an attempt at it", begun(number))
      )
    )
    const { entry } = yield* createApprovedTopic(["audio"], "Who takes the cup this season?")
    yield* eventually(
      "the fourth",
      Effect.map(entry, ({ audio_url }) => audio_url)
    )
    for (const story of stuck) assert.deepInclude(yield* story.entry, { content: approvedText, audio_url: null })
  }).pipe(Effect.provide(Layer.provideMerge(TestApi.workers, layerWithMedia("audio"))))
)
