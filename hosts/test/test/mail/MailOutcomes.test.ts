/** Tests mails for which the SMTP server is slow or sends no reply, and mails whose worker dies. */
import { assert, it } from "@effect/vitest"
import { Mailer, type MailMessage, MailRefused } from "@partner-commentary/core/mail/Mailer"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import * as Application from "@partner-commentary/test/Application"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../support/Eventually.ts"
import { waitUntilMailsProcessed } from "../support/MailProcessing.ts"

const start = Date.parse("2026-03-01T09:00:00.000Z")
const minutes = (count: number) => Duration.toMillis(Duration.minutes(count))

type Answer = Effect.Effect<void, MailRefused>

const refused = (refusal: Partial<MailRefused> = {}): Answer =>
  Effect.fail(new MailRefused({ permanent: false, reason: "refused as told", ...refusal }))
const unanswered = refused({ unanswered: true })
const stopped = refused({ unanswered: true, stopped: true })

/**
 * Creates a topic with a queued request mail. The mailer first returns the given results and then accepts every mail.
 */
const scene = <A, E, R>(
  answers: ReadonlyArray<Answer>,
  body: (sent: ReadonlyArray<MailMessage>) => Effect.Effect<A, E, R>
) => {
  const sent: Array<MailMessage> = []
  const left = [...answers]
  const mailer = Mailer.of({
    send: (message) =>
      Effect.suspend(() => {
        sent.push(message)
        return left.shift() ?? Effect.void
      })
  })
  const outside = Layer.merge(Layer.succeed(Mailer, mailer), ScriptedGenerator.layer)
  const layer = TestApi.layerMemory.pipe(Layer.provideMerge(Application.layer({ outside })))
  return Effect.andThen(used, body(sent)).pipe(Effect.scoped, Effect.provide(layer))
}

const used = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const { call } = yield* TestApi
  const owner = yield* Seed.createOrganization()
  const persona = yield* Seed.createPersona(owner)
  const { text: key } = yield* Seed.issueApiKey(owner)
  const body = { content: "Who takes the title this season?", persona_ids: [persona.id] }
  yield* call("/partner/v1/topics", { method: "POST", key, body })
})

const nextDue = Effect.flatMap(MailStore, ({ nextDue }) => Effect.map(nextDue, Option.getOrNull))
const until = (isSo: () => boolean) => eventually("the mailer is called", Effect.sync(isSo))

it.effect("a mail whose sending takes longer than its lease is sent once, even with several workers", () =>
  scene([Effect.sleep("10 minutes")], (sent) =>
    Effect.gen(function* () {
      yield* Layer.build(TestApi.workers)
      yield* Layer.build(Layer.fresh(TestApi.workers))
      yield* until(() => sent.length === 1)
      for (let half = 0; half < 20; half++) {
        yield* TestClock.adjust("30 seconds")
        if (half < 19) {
          const renewed = start + (half + 1) * 30_000 + 90_000
          yield* eventually(
            "the lease is renewed",
            Effect.map(nextDue, (due) => due === renewed)
          )
        }
      }
      yield* waitUntilMailsProcessed
      assert.lengthOf(sent, 1)
      assert.isNull(yield* Effect.map(nextDue, (due) => (due === null || due > start + minutes(10) ? null : due)))
    })
  )
)

it.effect(
  "a mail that the SMTP server does not confirm is sent once more after an hour, with the same Message-ID",
  () =>
    scene([unanswered, unanswered], (sent) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* Layer.build(TestApi.workers)
        yield* waitUntilMailsProcessed
        assert.strictEqual(yield* nextDue, start + minutes(60))
        yield* TestClock.adjust("1 hour")
        yield* waitUntilMailsProcessed
        const requests = sent.map(({ id }) => id).filter((id) => id.endsWith(".request"))
        assert.lengthOf(requests, 2)
        assert.strictEqual(requests[0], requests[1])
        const [mail] = yield* sql<{ state: string; attempts: number }>`SELECT state, attempts FROM mails
        WHERE kind = 'request'`
        assert.deepInclude(mail, { state: "failed", attempts: 2 }, "the operator decides on a third")
      })
    )
)

it.effect(
  "a stop before the SMTP server's reply delays the mail by an hour, and never makes the mail fail finally",
  () =>
    scene([stopped, stopped, unanswered, stopped], (sent) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* Layer.build(TestApi.workers)
        for (const hours of [1, 2, 3, 4]) {
          yield* waitUntilMailsProcessed
          assert.lengthOf(sent, hours)
          assert.strictEqual(yield* nextDue, start + minutes(60 * hours))
          yield* TestClock.adjust("1 hour")
        }
        yield* waitUntilMailsProcessed
        assert.lengthOf(new Set(sent.map(({ id }) => id)), 1, "every attempt has the same Message-ID")
        assert.deepStrictEqual(yield* sql`SELECT state, unanswered FROM mails`, [{ state: "sent", unanswered: 1 }])
      })
    )
)

it.effect(
  "if the SMTP server's reply arrives while the worker stops, the worker records the reply and the mail is not sent again",
  () =>
    scene([Effect.sleep("2 seconds")], (sent) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const worker = yield* Effect.forkChild(
          Effect.scoped(Effect.andThen(Layer.build(Layer.fresh(TestApi.workers)), Effect.never))
        )
        yield* until(() => sent.length === 1)
        const stop = yield* Effect.forkChild(Fiber.interrupt(worker))
        yield* TestClock.adjust("2 seconds")
        yield* Fiber.join(stop)
        const [mail] = yield* sql<{ state: string }>`SELECT state FROM mails WHERE kind = 'request'`
        assert.strictEqual(mail?.state, "sent")
      })
    )
)

it.effect(
  "an attempt whose worker dies does not count: the next failed attempt is retried after a minute, like a first failed attempt",
  () =>
    scene([refused()], (sent) =>
      Effect.gen(function* () {
        const store = yield* MailStore
        for (let death = 0; death < 5; death++) {
          const now = start + death * minutes(2)
          assert.lengthOf(yield* store.claim(now, now + minutes(2), 10), 1)
        }
        yield* TestClock.setTime(start + minutes(10))
        yield* Layer.build(TestApi.workers)
        yield* until(() => sent.length === 1)
        yield* waitUntilMailsProcessed
        assert.strictEqual(yield* nextDue, start + minutes(11), "as after a first attempt")
      })
    )
)
