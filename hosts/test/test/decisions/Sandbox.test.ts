/**
 * Tests the documented decisions about the test environment: what test keys see, and how topics of the test environment
 * progress.
 */
import { assert } from "@effect/vitest"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  formatStatusAndCode,
  readInvalidFields,
  registerServiceTest,
  seedPartner,
  sendRequest,
  unknownId,
  validWebhookBody
} from "../support/conformance/Dashboard.ts"
import { eventually } from "../support/Eventually.ts"

const content = "Will the cup be theirs again?"

const sandbox = Effect.gen(function* () {
  const live = yield* seedPartner()
  const { text: test } = yield* Seed.issueApiKey(live.owner, { environment: "test" })
  const personas = (yield* sendRequest("GET /personas", { key: test })).data as ReadonlyArray<{
    id: string
    name: string
  }>
  const send = (content: string, ...persona_ids: ReadonlyArray<string>) =>
    sendRequest("POST /topics", { key: test, body: { content, persona_ids } })
  /** Polls a topic through at most five steps, and returns the statuses of the topic's first persona in order. */
  const way = Effect.fnUntraced(function* (topicId: string) {
    const seen: Array<string> = []
    for (let steps = 0; steps < 5; steps++) {
      yield* eventually(
        "a step",
        Effect.gen(function* () {
          const { data } = yield* sendRequest(`GET /topics/${topicId}/status`, { key: test })
          const [{ failure, status }] = data.personas
          const now = failure === null ? status : `${status} ${failure.reason}`
          const moved = seen.at(-1) !== now
          if (moved) seen.push(now)
          return moved || data.overall_status === "completed"
        })
      )
      yield* TestClock.adjust("1500 millis")
    }
    return seen
  })
  return { ...live, test, personas, send, way }
})

/** Lists the statuses that a client sees by polling, for each way in which a simulated creator can act. */
const paths: Readonly<Record<"approve" | "decline" | "expire" | "fail", Array<string>>> = {
  approve: ["topic_sent", "opinion_injected", "commentary_generated", "creator_approved"],
  decline: ["topic_sent", "declined declined"],
  expire: ["topic_sent", "expired expired"],
  fail: ["topic_sent", "opinion_injected", "opinion_injected generation_failed"]
}

registerServiceTest(
  "Test environment: test keys see only test data, and live keys see only live data",
  Effect.gen(function* () {
    const { key, persona, send, submit, test } = yield* sandbox
    const live = (yield* submit(content, { more: { external_reference: "mine" } })).data.topic_id
    const tried = (yield* send(content, persona.id)).data.topic_id
    const hook = (yield* sendRequest("POST /webhooks", { key, body: validWebhookBody })).data.id
    const ids = (key: string) =>
      Effect.map(sendRequest("GET /topics", { key }), ({ data }) =>
        data.map((topic: { topic_id: string }) => topic.topic_id)
      )
    assert.deepStrictEqual([yield* ids(key), yield* ids(test)], [[live], [tried]])
    for (const [line, caller] of [
      [`GET /topics/${live}`, test],
      [`GET /topics/${tried}`, key],
      ["GET /topics/by-reference/mine", test],
      [`GET /webhooks/${hook}`, test]
    ] as const) {
      assert.strictEqual(formatStatusAndCode(yield* sendRequest(line, { key: caller })), "404 not_found", line)
    }
  })
)

registerServiceTest(
  "Test environment: topics that are submitted with a test key use no quota",
  Effect.gen(function* () {
    const { owner, persona } = yield* seedPartner({ limits: { topics_per_month: 1, commentaries_per_month: 1 } })
    const live = yield* Seed.issueApiKey(owner)
    const { text: key } = yield* Seed.issueApiKey(owner, { environment: "test" })
    for (const year of [2031, 2032, 2033]) {
      const body = { content: `Will the cup be theirs in ${year}?`, persona_ids: [persona.id] }
      assert.strictEqual(formatStatusAndCode(yield* sendRequest("POST /topics", { key, body })), "201")
    }
    const { data } = yield* sendRequest("GET /usage", { key: live.text })
    assert.deepStrictEqual(data.remaining, { topics: 1, commentaries: 1 })
  })
)

registerServiceTest(
  "Test environment: a simulated creator responds and approves within seconds, and no mail is sent",
  Effect.gen(function* () {
    const { persona, send, way } = yield* sandbox
    assert.deepStrictEqual(yield* way((yield* send(content, persona.id)).data.topic_id), paths.approve)
    assert.deepStrictEqual(yield* (yield* Mailbox).all, [])
  })
)

registerServiceTest(
  "Test environment: there are five fixed test personas, which only test keys can see",
  Effect.gen(function* () {
    const { key, persona, personas, submit } = yield* sandbox
    assert.deepStrictEqual(
      (yield* sendRequest("GET /personas", { key })).data.map(({ id }: { id: string }) => id),
      [persona.id]
    )
    const five = personas.filter(({ id }) => id !== persona.id).map(({ id }) => id)
    assert.lengthOf(five, 5)
    for (const id of five) {
      assert.strictEqual(formatStatusAndCode(yield* sendRequest(`GET /personas/${id}`, { key })), "404 not_found")
    }
    const { error } = yield* submit(content, { more: { persona_ids: five } })
    assert.strictEqual(error.code, "no_valid_personas")
  })
)

for (const [index, path] of (["approve", "decline", "expire", "fail"] as const).entries()) {
  registerServiceTest(
    `Test environment: one of the test personas always simulates this outcome: ${path}`,
    Effect.gen(function* () {
      const { personas, send, way } = yield* sandbox
      const { data } = yield* send(content, personas[index]?.id ?? "")
      assert.deepStrictEqual(yield* way(data.topic_id), paths[path])
    })
  )
}

registerServiceTest(
  "Test environment: an assignment of the fifth persona advances only on POST /test/assignments/{share_id}/advance",
  Effect.gen(function* () {
    const { key, personas, send, test } = yield* sandbox
    const { data } = yield* send(content, personas[4]?.id ?? "")
    const [{ share_id }] = data.results
    const status = Effect.map(
      sendRequest(`GET /topics/${data.topic_id}/status`, { key: test }),
      ({ data }) => data.personas[0].status
    )
    const [, ...steps] = paths.approve
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(yield* status, "topic_sent")
    const advance = (caller: string, share: string) =>
      sendRequest(`POST /test/assignments/${share}/advance`, { key: caller })
    assert.strictEqual(formatStatusAndCode(yield* advance(key, share_id)), "404 not_found")
    assert.strictEqual(formatStatusAndCode(yield* advance(test, unknownId)), "404 not_found")
    for (const step of steps) {
      assert.strictEqual((yield* advance(test, share_id)).data.status, step)
      assert.strictEqual(yield* status, step)
    }
    assert.deepStrictEqual(readInvalidFields(yield* advance(test, share_id)), ["action"])
  })
)

for (const path of ["decline", "expire", "fail"] as const) {
  registerServiceTest(
    `Test environment: if the content contains [${path}], licensed personas simulate this outcome`,
    Effect.gen(function* () {
      const { persona, send, way } = yield* sandbox
      const { data } = yield* send(`Will the cup be theirs? [${path}]`, persona.id)
      assert.deepStrictEqual(yield* way(data.topic_id), paths[path])
    })
  )
}

registerServiceTest(
  "Test environment: the local generator always writes the drafts",
  Effect.gen(function* () {
    const { persona, send, test, way } = yield* sandbox
    const { data } = yield* send(content, persona.id)
    yield* way(data.topic_id)
    const { commentaries } = (yield* sendRequest(`GET /topics/${data.topic_id}/commentaries`, { key: test })).data
    assert.match(commentaries[0].content, /local generator/i)
    assert.deepStrictEqual(yield* (yield* ScriptedGenerator).requests, [])
  })
)

registerServiceTest(
  "Test environment: the same content can be submitted again after 60 seconds",
  Effect.gen(function* () {
    const { persona, send } = yield* sandbox
    assert.strictEqual(formatStatusAndCode(yield* send(content, persona.id)), "201")
    yield* TestClock.adjust(59_999)
    assert.strictEqual(formatStatusAndCode(yield* send(content, persona.id)), "400 no_valid_personas")
    yield* TestClock.adjust(1)
    assert.strictEqual(formatStatusAndCode(yield* send(content, persona.id)), "201")
  })
)
