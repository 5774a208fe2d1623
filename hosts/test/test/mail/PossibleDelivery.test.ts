/** Tests request mails that a mail server may have accepted, although the service recorded no delivery. */
import { assert, it } from "@effect/vitest"
import { CreatorPortal } from "@partner-commentary/core/creator/CreatorPortal"
import { Mailer, MailRefused } from "@partner-commentary/core/mail/Mailer"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import type { Persona } from "@partner-commentary/core/persona/Persona"
import * as Application from "@partner-commentary/test/Application"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { waitUntilMailsProcessed } from "../support/MailProcessing.ts"
import { actAsCreator, getJson, submitTopic } from "../support/Requests.ts"

const start = Date.parse("2026-03-01T09:00:00.000Z")
const minute = 60_000

interface Scene {
  readonly key: string
  readonly topicId: string
  readonly persona: Persona
  /** The subjects of all mails that the mailer got. */
  readonly subjects: ReadonlyArray<string>
}

/** Submits a topic to a service without workers. The mailer refuses the first mail with `refusal`, if it is given. */
const scene = <A, E, R>(refusal: Partial<MailRefused> | null, body: (scene: Scene) => Effect.Effect<A, E, R>) => {
  const subjects: Array<string> = []
  const send = ({ subject }: { readonly subject: string }) =>
    Effect.suspend(() =>
      subjects.push(subject) === 1 && refusal !== null
        ? Effect.fail(new MailRefused({ permanent: false, reason: "as told", ...refusal }))
        : Effect.void
    )
  return Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const owner = yield* Seed.createOrganization()
    const persona = yield* Seed.createPersona(owner)
    const { text: key } = yield* Seed.issueApiKey(owner)
    const topicId = yield* submitTopic(key, "Who takes the title this season?", [persona])
    return yield* body({ key, topicId, persona, subjects })
  }).pipe(
    Effect.scoped,
    Effect.provide(
      TestApi.layerMemory.pipe(
        Layer.provideMerge(
          Application.layer({ outside: Layer.merge(Layer.succeed(Mailer, { send }), ScriptedGenerator.layer) })
        )
      )
    )
  )
}

const cancel = ({ key, topicId }: Scene) =>
  Effect.flatMap(TestApi, ({ call }) => call(`/partner/v1/topics/${topicId}/cancel`, { method: "POST", key }))

/** Claims the request mail as a worker whose process then dies. */
const crash = Effect.flatMap(MailStore, ({ claim }) => claim(start, start + minute, 10))

const respond = ({ persona }: Scene) =>
  Effect.gen(function* () {
    const { requests } = yield* (yield* CreatorPortal).openRequests({ email: persona.creator.email })
    const token = requests[0]?.link.split("/creator/")[1] ?? ""
    yield* actAsCreator(token, "respond", { perspective: "They will win it, and by some distance." })
  })

const runWorkers = Effect.andThen(Layer.build(TestApi.workers), waitUntilMailsProcessed)

const possibleDeliveries = {
  "the mail server did not answer": { unanswered: true },
  "the service stopped before the mail server's answer": { unanswered: true, stopped: true }
}

for (const [cause, refusal] of Object.entries(possibleDeliveries)) {
  it.effect(`if a request is cancelled after ${cause}, the creator gets a mail about the cancellation`, () =>
    scene(refusal, (story) =>
      Effect.gen(function* () {
        yield* runWorkers
        yield* TestClock.adjust("10 minutes")
        yield* cancel(story)
        yield* TestClock.adjust("50 minutes")
        yield* waitUntilMailsProcessed
        assert.lengthOf(story.subjects, 2)
        assert.include(story.subjects[1], "no longer needs")
      })
    )
  )
}

it.effect("if a request is cancelled after its worker died, the creator gets a mail about the cancellation", () =>
  scene(null, (story) =>
    Effect.gen(function* () {
      yield* crash
      yield* cancel(story)
      yield* TestClock.adjust("1 minute")
      yield* runWorkers
      assert.lengthOf(story.subjects, 1)
      assert.include(story.subjects[0], "no longer needs")
    })
  )
)

it.effect("if a request is cancelled after the mail server refused its mail, the creator gets no mail", () =>
  scene({}, (story) =>
    Effect.gen(function* () {
      yield* runWorkers
      yield* cancel(story)
      yield* TestClock.adjust("1 hour")
      yield* waitUntilMailsProcessed
      assert.lengthOf(story.subjects, 1)
    })
  )
)

it.effect("the response time of an answer runs from the attempt whose worker died after it sent the mail", () =>
  scene(null, (story) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* crash
      yield* TestClock.adjust("30 seconds")
      yield* respond(story)
      yield* TestClock.adjust("1 minute")
      yield* runWorkers
      const requests = yield* sql`SELECT state FROM mails WHERE kind = 'request'`
      assert.deepStrictEqual(requests, [{ state: "sent" }])
      const { data } = yield* getJson(story.key, "/metrics/performance")
      assert.deepInclude(data.overall.response_time, { count: 1 })
      const rows = yield* sql`SELECT notified_at FROM assignments`
      assert.deepStrictEqual(rows, [{ notified_at: "2026-03-01T09:00:00.000Z" }])
    })
  )
)

it.effect("the answer to a request whose mail was never sent has no response time", () =>
  scene(null, (story) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* respond(story)
      yield* runWorkers
      const rows = yield* sql`SELECT notified_at FROM assignments`
      assert.deepStrictEqual(rows, [{ notified_at: null }])
    })
  )
)
