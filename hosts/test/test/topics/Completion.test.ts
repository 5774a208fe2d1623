/**
 * Tests `topic.completed`. Each topic causes one event, in the transaction in which its last assignment is approved or
 * fails.
 */
import { assert, it } from "@effect/vitest"
import { CreatorAdministration } from "@partner-commentary/core/creator/CreatorAdministration"
import * as InMemory from "@partner-commentary/test/InMemory"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { makeDeliveriesApiReader, readSentEvents, registerWebhook } from "../support/DeliveryCalls.ts"
import { eventually } from "../support/Eventually.ts"
import { readJson } from "../support/Json.ts"
import { actAsCreator, findCreatorToken, getJson, submitTopic, waitForStatus } from "../support/Requests.ts"
import * as TestIntegration from "../support/TestIntegration.ts"

const start = Date.parse("2026-03-01T09:00:00.000Z")
const content = "Who takes the title this season?"
const perspective = "They will win it, and by some distance."
const atOnce = { concurrency: "unbounded" } as const

const eventsOf = (key: string, query = "") => Effect.map(getJson(key, `/events?limit=100${query}`), ({ data }) => data)
const completions = (key: string) => eventsOf(key, "&type=topic.completed")

const seeded = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const { call } = yield* TestApi
  const owner = yield* Seed.createOrganization()
  const first = yield* Seed.createPersona(owner, { name: "Ada First" })
  const last = yield* Seed.createPersona(owner, { name: "Sol Last" })
  const { text: key } = yield* Seed.issueApiKey(owner)
  const post = (path: string) => call(`/partner/v1${path}`, { method: "POST", key })
  return { first, key, last, owner, post }
})

type Scene = Effect.Success<typeof seeded> & { readonly token: string; readonly topicId: string }

const respond = Effect.fnUntraced(function* ({ key, last, token, topicId }: Scene) {
  yield* actAsCreator(token, "respond", { perspective })
  yield* waitForStatus(key, topicId, last, "commentary_generated")
})

const days = (count: number) => TestClock.adjust(`${count} days`)

/**
 * Each way in which a topic's last assignment can end, the resulting event, and a later action that must not reopen the
 * topic.
 */
const paths = {
  approval: {
    settle: (scene: Scene) => Effect.andThen(respond(scene), actAsCreator(scene.token, "approve")),
    again: Effect.fnUntraced(function* ({ key, post, topicId }: Scene) {
      const [entry] = (yield* getJson(key, `/topics/${topicId}/commentaries`)).data.commentaries
      assert.strictEqual((yield* post(`/topics/${topicId}/commentaries/${entry.commentary_id}/approve`)).status, 200)
    }),
    summary: { completed: 1, failed: 1 },
    cause: { type: "creator.approved" }
  },
  decline: {
    settle: ({ token }: Scene) => actAsCreator(token, "decline", { reason: "No." }),
    again: ({ token }: Scene) => actAsCreator(token, "decline", { reason: "No." }),
    cause: { reason: "declined" }
  },
  expiry: { settle: () => days(3), cause: { reason: "expired" } },
  "failed generation": {
    settle: Effect.fnUntraced(function* ({ token }: Scene) {
      const generator = yield* ScriptedGenerator
      yield* generator.failNext({ permanent: true })
      yield* actAsCreator(token, "respond", { perspective })
      yield* eventually(
        "the failed attempt",
        Effect.map(generator.requests, ({ length }) => length === 1)
      )
      yield* days(2)
    }),
    again: ({ token }: Scene) => actAsCreator(token, "revise", { instructions: "Once more, please." }),
    cause: { reason: "generation_failed" }
  },
  "approval timeout": {
    settle: (scene: Scene) => Effect.andThen(respond(scene), days(8)),
    cause: { reason: "approval_timeout" }
  },
  withdrawal: {
    settle: (scene: Scene) => Effect.andThen(respond(scene), actAsCreator(scene.token, "withdraw", { reason: "No." })),
    again: ({ token }: Scene) => actAsCreator(token, "withdraw", { reason: "No." }),
    cause: { reason: "withdrawn" }
  },
  cancellation: {
    settle: ({ post, topicId }: Scene) => post(`/topics/${topicId}/cancel`),
    again: ({ post, topicId }: Scene) => post(`/topics/${topicId}/cancel`),
    cause: { reason: "cancelled" }
  },
  erasure: {
    settle: ({ last }: Scene) => CreatorAdministration.use(({ erase }) => erase(last.creator.email)),
    again: ({ first }: Scene) => CreatorAdministration.use(({ erase }) => erase(first.creator.email)),
    cause: { reason: "declined" }
  }
}

for (const [name, path] of Object.entries(paths)) {
  it.effect(`a topic whose last assignment ends by ${name} is completed once, after that assignment's own event`, () =>
    Effect.gen(function* () {
      const scene = yield* seeded
      const { first, key, last } = scene
      const hook = yield* registerWebhook(key, ["topic.completed"])
      const topicId = yield* submitTopic(key, content, [first, last], { external_reference: "title" })
      const token = yield* findCreatorToken(last, content)
      yield* actAsCreator(yield* findCreatorToken(first, content), "decline", { reason: "No." })
      assert.deepStrictEqual(yield* completions(key), [])
      yield* TestClock.adjust("1 hour")
      yield* path.settle({ ...scene, token, topicId })
      const [event] = yield* eventually(
        "the completion",
        Effect.map(completions(key), (found) => (found.length > 0 ? found : undefined))
      )
      const { data, id, timestamp, ...envelope } = event
      assert.deepStrictEqual(envelope, { type: "topic.completed", sequence: 1 })
      const summary = {
        total_personas: 2,
        completed: 0,
        pending: 0,
        failed: 2,
        ...("summary" in path ? path.summary : {})
      }
      assert.deepStrictEqual(data, {
        topic_id: topicId,
        external_reference: "title",
        metadata: {},
        topic: { status: "completed", summary }
      })
      const [newest, own, ...others] = yield* eventsOf(key)
      assert.deepStrictEqual([newest, others.length], [event, 1])
      const { reason, share_id } = own.data
      assert.deepInclude({ type: own.type, reason, timestamp: own.timestamp }, { timestamp, ...path.cause })
      assert.deepStrictEqual((yield* eventsOf(key, "&order=asc")).slice(-2), [own, newest])

      const deliveries = makeDeliveriesApiReader(key, hook.id)
      yield* deliveries.delivered(1)
      // After a jump of the clock, the worker may repeat an attempt.
      for (const sent of yield* readSentEvents) assert.deepStrictEqual(sent.event, event)
      const [delivery] = yield* deliveries.list()
      assert.deepInclude(delivery, { event_id: id, type: "topic.completed", topic_id: topicId, share_id })
      assert.deepStrictEqual((yield* deliveries.one(delivery.id)).payload, event)
      yield* Effect.all("again" in path ? [path.again({ ...scene, token, topicId })] : [])
      yield* days(15)
      assert.deepStrictEqual(yield* completions(key), [event])
    }).pipe(Effect.provide(InMemory.layer))
  )
}

it.effect(
  "if a topic's assignments end at the same time, the topic is completed once, together with the last assignment",
  () =>
    Effect.gen(function* () {
      const { first, key, last, owner, post } = yield* seeded
      const third = yield* Seed.createPersona(owner, { name: "Uma Unread" })
      const topics = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, number) => `Who wins match number ${number}?`),
        Effect.fnUntraced(function* (each) {
          const topicId = yield* submitTopic(key, each, [first, last, third])
          const tokens = yield* Effect.forEach([first, last], (persona) => findCreatorToken(persona, each))
          return { tokens, topicId }
        }),
        atOnce
      )
      yield* Effect.forEach(
        topics.flatMap(({ tokens, topicId }, index) => {
          const settlings: ReadonlyArray<Effect.Effect<unknown, unknown, TestApi>> = [
            ...tokens.map((token) => actAsCreator(token, "decline", { reason: "No." })),
            post(`/topics/${topicId}/cancel`)
          ]
          return [...settlings.slice(index % 3), ...settlings.slice(0, index % 3)]
        }),
        (settling) => settling,
        atOnce
      )
      const completed = yield* completions(key)
      assert.deepStrictEqual(
        completed.map(({ data }: { data: { topic_id: string } }) => data.topic_id).toSorted(),
        topics.map(({ topicId }) => topicId).toSorted()
      )
      for (const { data } of completed) {
        assert.deepStrictEqual(data.topic, {
          status: "completed",
          summary: { total_personas: 3, completed: 0, pending: 0, failed: 3 }
        })
      }
      const inOrder = yield* eventsOf(key, "&order=asc")
      assert.lengthOf(inOrder, 4 * topics.length)
      for (const { topicId } of topics) {
        const own = inOrder.filter(({ data }: { data: { topic_id: string } }) => data.topic_id === topicId)
        assert.deepStrictEqual(
          own.map(({ type }: { type: string }) => type),
          ["commentary.failed", "commentary.failed", "commentary.failed", "topic.completed"]
        )
      }
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "a topic with one persona is completed when its assignment ends, and only webhooks with `topic.completed` receive that event",
  () =>
    Effect.gen(function* () {
      const { key, last } = yield* seeded
      const without = yield* registerWebhook(key, ["creator.approved", "partner.approved", "commentary.failed"])
      const both = yield* registerWebhook(key, ["topic.completed", "commentary.failed"], "https://example.com/both")
      yield* submitTopic(key, content, [last])
      yield* actAsCreator(yield* findCreatorToken(last, content), "decline", { reason: "No." })
      yield* makeDeliveriesApiReader(key, both.id).delivered(2)
      yield* makeDeliveriesApiReader(key, without.id).delivered(1)
      const typesOf = (id: string) =>
        Effect.map(makeDeliveriesApiReader(key, id).list(), (all) => all.map(({ type }: { type: string }) => type))
      assert.deepStrictEqual(yield* typesOf(both.id), ["topic.completed", "commentary.failed"])
      assert.deepStrictEqual(yield* typesOf(without.id), ["commentary.failed"])
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a long-polling request for events gets its response when a topic is completed", () =>
  Effect.gen(function* () {
    const { key, last, post } = yield* seeded
    const { call } = yield* TestApi
    const topicId = yield* submitTopic(key, content, [last])
    yield* findCreatorToken(last, content)
    const { pagination } = yield* getJson(key, "/events?order=asc")
    const path = `/partner/v1/events?after=${pagination.next_cursor}&type=topic.completed`
    const [answer] = yield* Effect.all(
      [call(path, { key, headers: { prefer: "wait=30" } }), post(`/topics/${topicId}/cancel`)],
      atOnce
    )
    assert.lengthOf((yield* readJson(answer)).data, 1)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a topic of the test environment is completed once, by simulated creators or by calls to advance", () =>
  Effect.gen(function* () {
    const { advance, get, sent } = yield* TestIntegration.seedTestIntegration
    const { approves, declines, expires, fails, waits } = TestIntegration
    const { shares, topic } = yield* sent("Will it rain on Sunday?", approves, declines, expires, fails, waits)
    yield* eventually(
      "the others are settled",
      Effect.map(
        Effect.andThen(TestClock.adjust("1500 millis"), get(`/topics/${topic}`)),
        ({ data }) => data.summary.pending === 1
      )
    )
    const list = Effect.map(get("/events?type=topic.completed"), ({ data }) => data)
    assert.deepStrictEqual(yield* list, [])
    for (const action of ["respond", "generate", "withdraw"]) {
      assert.isTrue((yield* advance(shares[4] ?? "", action)).success)
    }
    const [event, ...others] = yield* list
    assert.deepStrictEqual(others, [])
    assert.strictEqual(event.data.topic_id, topic)
    assert.deepStrictEqual(event.data.topic.summary, { total_personas: 5, completed: 1, pending: 0, failed: 4 })
    yield* TestClock.adjust("8 days")
    assert.deepStrictEqual(yield* list, [event])
  }).pipe(Effect.provide(InMemory.layer))
)
