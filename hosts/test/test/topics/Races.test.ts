/**
 * Tests concurrent requests to the whole service. Of several conflicting requests exactly one succeeds, and counts are
 * exact.
 */

import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import { extractCreatorToken, Mailbox } from "@partner-commentary/test/Mailbox"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import { eventually } from "../support/Eventually.ts"
import { readJson } from "../support/Json.ts"

const at = "Who will win the cup this year?"
const all = { concurrency: "unbounded" } as const

it.effect("of 50 identical concurrent submissions, exactly one is sent to the creator", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const owner = yield* Seed.createOrganization()
    const persona = yield* Seed.createPersona(owner)
    const { text: key } = yield* Seed.issueApiKey(owner)
    const answers = yield* Effect.forEach(
      Array.from({ length: 50 }),
      () =>
        Effect.flatMap(
          call("/partner/v1/topics", { method: "POST", key, body: { content: at, persona_ids: [persona.id] } }),
          (response) => Effect.map(readJson(response), (body) => ({ status: response.status, body }))
        ),
      all
    )
    const sent = answers.filter(({ status }) => status === 201)
    assert.strictEqual(sent.length, 1)
    const topicId = sent[0]?.body.data.topic_id
    for (const { body, status } of answers.filter((answer) => answer.status !== 201)) {
      assert.strictEqual(status, 400)
      assert.strictEqual(body.error.code, "no_valid_personas")
      assert.strictEqual(body.error.details[0].status, "duplicate")
      assert.strictEqual(body.error.details[0].duplicate_of.topic_id, topicId)
    }
    const list = yield* readJson(yield* call("/partner/v1/topics", { key }))
    assert.strictEqual(list.pagination.total, 1)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("of 50 concurrent submissions against a quota of 10, exactly 10 are accepted", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const owner = yield* Seed.createOrganization({ limits: { topics_per_month: 10 } })
    const persona = yield* Seed.createPersona(owner)
    const { text: key } = yield* Seed.issueApiKey(owner)
    const answers = yield* Effect.forEach(
      Array.from({ length: 50 }),
      (_, index) =>
        call("/partner/v1/topics", {
          method: "POST",
          key,
          body: { content: `${at} Number ${index}`, persona_ids: [persona.id] }
        }),
      all
    )
    assert.strictEqual(answers.filter(({ status }) => status === 201).length, 10)
    for (const refused of answers.filter(({ status }) => status !== 201)) {
      assert.strictEqual(refused.status, 429)
      const { error } = yield* readJson(refused)
      assert.strictEqual(error.code, "rate_limit_exceeded")
      assert.deepInclude(error.details, { limit: 10, remaining: 0, quota: "topics_per_month" })
      assert.strictEqual(refused.headers.get("retry-after"), String(error.details.retry_after))
    }
    const list = yield* readJson(yield* call("/partner/v1/topics", { key }))
    assert.strictEqual(list.pagination.total, 10)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a topic that exceeds the commentary quota is refused completely, and no part of it is stored", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const owner = yield* Seed.createOrganization({ limits: { commentaries_per_month: 3 } })
    const two = yield* Effect.forEach([1, 2], () => Seed.createPersona(owner))
    const { text: key } = yield* Seed.issueApiKey(owner)
    const post = (content: string) =>
      call("/partner/v1/topics", { method: "POST", key, body: { content, persona_ids: two.map(({ id }) => id) } })
    assert.strictEqual((yield* post(at)).status, 201)
    const refused = yield* post(`${at} Again?`)
    assert.strictEqual(refused.status, 429)
    const { error } = yield* readJson(refused)
    assert.deepInclude(error.details, { limit: 3, remaining: 1, quota: "commentaries_per_month" })
    // The refused topic starts no duplicate window, so a repeated submission is refused because of the quota again.
    assert.strictEqual((yield* post(`${at} Again?`)).status, 429)
    assert.strictEqual((yield* readJson(yield* call("/partner/v1/topics", { key }))).pagination.total, 1)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("if the 100 assignments of a topic end concurrently, the topic is completed with exact counts", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const mailbox = yield* Mailbox
    const owner = yield* Seed.createOrganization()
    const personas = yield* Effect.forEach(Array.from({ length: 100 }), () => Seed.createPersona(owner))
    const { text: key } = yield* Seed.issueApiKey(owner)
    const created = yield* call("/partner/v1/topics", {
      method: "POST",
      key,
      body: { content: at, persona_ids: personas.map(({ id }) => id) }
    })
    const id = (yield* readJson(created)).data.topic_id
    const mails = yield* eventually(
      "100 mails",
      Effect.map(mailbox.all, (sent) => (sent.length === 100 ? sent : undefined))
    )
    // Create drafts for the first half of the assignments, because these creators approve drafts later.
    const half = mails.slice(0, 50).map(extractCreatorToken)
    const other = mails.slice(50).map(extractCreatorToken)
    const act = (token: string, action: string, body: unknown) =>
      call(`/creator/${token}/${action}`, { method: "POST", headers: { accept: "application/json" }, body })
    yield* Effect.forEach(half, (token) => act(token, "respond", { perspective: "It is anybody's game, really." }), all)
    yield* eventually(
      "50 drafts",
      Effect.map(
        Effect.flatMap(call(`/partner/v1/topics/${id}/status`, { key }), readJson),
        ({ data }) => data.summary.commentary_generated === 50
      )
    )
    const settled = yield* Effect.all(
      [
        Effect.forEach(half, (token) => act(token, "approve", {}), all),
        Effect.forEach(other, (token) => act(token, "decline", {}), all)
      ],
      all
    )
    for (const response of settled.flat()) assert.strictEqual(response.status, 200)
    const { data } = yield* readJson(yield* call(`/partner/v1/topics/${id}/status`, { key }))
    assert.strictEqual(data.overall_status, "completed")
    assert.deepInclude(data.summary, { total: 100, creator_approved: 50, declined: 50, topic_sent: 0 })
    const list = yield* readJson(yield* call("/partner/v1/topics?status=completed", { key }))
    assert.deepStrictEqual([list.pagination.total, list.data[0].commentaries_ready], [1, 50])
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "of concurrent respond and decline actions exactly one succeeds, and the other action gets the current status",
  () =>
    Effect.gen(function* () {
      const { call } = yield* TestApi
      const mailbox = yield* Mailbox
      const owner = yield* Seed.createOrganization()
      const { text: key } = yield* Seed.issueApiKey(owner)
      for (let round = 0; round < 10; round++) {
        const persona = yield* Seed.createPersona(owner)
        yield* call("/partner/v1/topics", { method: "POST", key, body: { content: at, persona_ids: [persona.id] } })
        const [mail] = yield* eventually(
          "the mail",
          Effect.map(mailbox.to(persona.creator.email), (sent) => (sent.length > 0 ? sent : undefined))
        )
        const token = extractCreatorToken(mail ?? { text: "" })
        const act = (action: string, body: unknown) =>
          call(`/creator/${token}/${action}`, { method: "POST", headers: { accept: "application/json" }, body })
        const answers = yield* Effect.all(
          [act("respond", { perspective: "Their year, without a doubt." }), act("decline", { reason: "No time" })],
          all
        )
        assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 400])
        const refused = yield* readJson(
          answers.find(({ status }) => status === 400) ?? assert.fail("nobody was refused")
        )
        assert.strictEqual(refused.error.code, "invalid_request")
        assert.strictEqual(refused.error.details.field, "action")
      }
    }).pipe(Effect.provide(InMemory.layer))
)
