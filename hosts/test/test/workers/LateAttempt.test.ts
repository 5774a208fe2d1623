/**
 * Tests generation attempts that end after their lease or without a result. The log has an error only if no attempt
 * wrote the draft.
 */
import { assert, it } from "@effect/vitest"
import { CommentaryGenerator, GenerationFailed } from "@partner-commentary/core/commentary/CommentaryGenerator"
import { ShareId } from "@partner-commentary/core/shared/Ids"
import type { Policy } from "@partner-commentary/core/shared/Policy"
import * as Inspection from "@partner-commentary/sql/topics/TopicInspection"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../support/Eventually.ts"
import { actAsCreator, findCreatorToken, getJson, submitTopic } from "../support/Requests.ts"

type Line = Readonly<Record<string, unknown>>

const recordLines = (lines: Array<Line>) =>
  Logger.layer([Logger.map(Logger.formatStructured, (entry) => void lines.push(entry as unknown as Line))])

const serviceWith = (generator: Layer.Layer<CommentaryGenerator>, policy: Partial<Policy>) =>
  TestApi.layerMemory.pipe(
    Layer.provideMerge(TestApi.workers),
    Layer.provideMerge(Application.layer({ policy, outside: Layer.merge(Mailbox.layer, generator) }))
  )

it.effect("an attempt that fails after another attempt wrote the draft is not logged as an error", () => {
  let calls = 0
  const asked = Deferred.makeUnsafe<void>()
  const gate = Deferred.makeUnsafe<void>()
  const late = new GenerationFailed({ permanent: false, reason: "too late" })
  const generator = Layer.succeed(CommentaryGenerator, {
    generate: () =>
      calls++ > 0
        ? Effect.succeed("They will win it.")
        : Effect.andThen(Deferred.succeed(asked, undefined), Effect.andThen(Deferred.await(gate), Effect.fail(late)))
  })
  const logged: Array<Line> = []
  const content = "Who takes the title this season?"
  return Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-03-01T09:00:00.000Z"))
    const owner = yield* Seed.createOrganization()
    const persona = yield* Seed.createPersona(owner)
    const { text: key } = yield* Seed.issueApiKey(owner)
    yield* submitTopic(key, content, [persona])
    const token = yield* findCreatorToken(persona, content)
    yield* actAsCreator(token, "respond", { perspective: "They will win it, and by some distance." })
    yield* Deferred.await(asked)
    yield* TestClock.adjust("2 minutes")
    const mailbox = yield* Mailbox
    yield* eventually(
      "the draft's mail",
      Effect.map(mailbox.to(persona.creator.email), ([, draft]) => draft)
    )
    yield* Deferred.succeed(gate, undefined)
    const told = yield* eventually(
      "a line about the attempt",
      Effect.sync(() => logged.find(({ annotations }) => JSON.stringify(annotations).includes("too late")))
    )
    assert.deepInclude(told, {
      level: "INFO",
      message: "A superseded attempt at a draft failed"
    })
  }).pipe(Effect.provide(serviceWith(generator, { lease: Duration.minutes(1) })), Effect.provide(recordLines(logged)))
})

it.effect(
  "if the last attempt has no result when its lease ends, the log and the operator's report have the reason",
  () => {
    let calls = 0
    const generator = Layer.succeed(CommentaryGenerator, {
      generate: () =>
        Effect.suspend(() => {
          calls++
          return Effect.never
        })
    })
    const lines: Array<Line> = []
    const content = "Who takes the title this season?"
    const message = "Every attempt at a draft failed; restart it with the command retry, or with pc.operations.retry()"
    const reason = "the last attempt had no result: its process ended or hung"
    return Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-03-01T09:00:00.000Z"))
      const owner = yield* Seed.createOrganization()
      const persona = yield* Seed.createPersona(owner)
      const { text: key } = yield* Seed.issueApiKey(owner)
      const topicId = yield* submitTopic(key, content, [persona], { external_reference: "title" })
      const token = yield* findCreatorToken(persona, content)
      yield* actAsCreator(token, "respond", { perspective: "They will win it, and by some distance." })
      for (const attempt of [1, 2]) {
        yield* eventually(
          `attempt ${attempt}`,
          Effect.sync(() => calls === attempt)
        )
        assert.deepStrictEqual(lines, [], "an attempt is left")
        yield* TestClock.adjust("1 minute")
      }
      const mailbox = yield* Mailbox
      yield* eventually(
        "the mail about the stalled draft",
        Effect.map(mailbox.to(persona.creator.email), ([, stalled]) => stalled?.id.includes(".stalled-"))
      )
      const [line] = yield* eventually(
        "the log line",
        Effect.sync(() => (lines.length > 0 ? lines : undefined))
      )
      const shareId = ShareId.make((yield* getJson(key, "/topics/by-reference/title")).data.commentaries[0].share_id)
      const subject = { organization_id: owner.id, topic_id: topicId, share_id: shareId }
      assert.deepInclude(line, { level: "ERROR", message, annotations: { ...subject, reason, permanent: false } })
      const { assignments } = Option.getOrThrow(yield* Inspection.findTopic(shareId))
      const records = yield* Effect.forEach(assignments, Inspection.readAssignmentRecords)
      assert.strictEqual(records[0]?.failedAttempt?.reason, reason)
      assert.lengthOf(lines, 1)
    }).pipe(
      Effect.provide(serviceWith(generator, { lease: Duration.minutes(1), generationRetries: [Duration.minutes(1)] })),
      Effect.provide(recordLines(lines))
    )
  }
)
