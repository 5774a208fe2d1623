/** Tests the test environment, in which a partner's engineers develop their integration. The tests use a fake clock. */

import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, it } from "@effect/vitest"
import { DashboardTokenVerifier } from "@partner-commentary/core/access/DashboardTokenVerifier"
import * as Core from "@partner-commentary/core/Core"
import { CreatorAdministration } from "@partner-commentary/core/creator/CreatorAdministration"
import { PersonaStore } from "@partner-commentary/core/persona/PersonaStore"
import { testPersonas } from "@partner-commentary/core/persona/TestPersonas"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { SigningSecrets } from "@partner-commentary/core/shared/SigningSecrets"
import { WorkerSettings } from "@partner-commentary/server/workers/WorkerSettings"
import * as Sqlite from "@partner-commentary/sqlite/Sqlite"
import * as InMemory from "@partner-commentary/test/InMemory"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../support/Eventually.ts"
import { readJson } from "../support/Json.ts"
import {
  approves,
  declines,
  expires,
  fails,
  seedTestIntegration,
  startTime,
  unknownId,
  waits
} from "../support/TestIntegration.ts"

/** How a test persona acts, its id, and the states that polls show one after another. */
const stories = [
  [
    "approves",
    approves,
    [
      "topic_sent pending",
      "opinion_injected in_progress",
      "commentary_generated in_progress",
      "creator_approved completed"
    ]
  ],
  ["declines", declines, ["topic_sent pending", "declined declined completed"]],
  ["expires", expires, ["topic_sent pending", "expired expired completed"]],
  [
    "fails",
    fails,
    ["topic_sent pending", "opinion_injected in_progress", "opinion_injected generation_failed completed"]
  ]
] as const

for (const [what, id, states] of stories) {
  it.effect(
    `an assignment of the test persona that ${what} goes through its states by itself, within five seconds`,
    () =>
      Effect.gen(function* () {
        const { sees, sent } = yield* seedTestIntegration
        const { topic } = yield* sent("Will it rain on Sunday?", id)
        for (const [index, state] of states.entries()) {
          yield* sees(topic, state)
          yield* TestClock.adjust("1499 millis")
          yield* sees(topic, state)
          if (index < states.length - 1) yield* TestClock.adjust("1 milli")
        }
        yield* TestClock.adjust("30 days")
        yield* sees(topic, states.at(-1) ?? "")
        assert.isBelow((states.length - 1) * 1500, 5000)
      }).pipe(Effect.provide(InMemory.layer))
  )
}

it.effect(
  "an approved test commentary is fetched in the same way as a live commentary, and the local generator always writes the text",
  () =>
    Effect.gen(function* () {
      const { get, persona, sees, sent } = yield* seedTestIntegration
      const { shares, topic } = yield* sent("Will it rain on Sunday?", persona.id)
      for (const state of ["topic_sent pending", "opinion_injected in_progress", "commentary_generated in_progress"]) {
        yield* sees(topic, state)
        yield* TestClock.adjust("1500 millis")
      }
      const ready = yield* sees(topic, "creator_approved completed")
      assert.deepInclude(ready, { share_id: shares[0], has_commentary: true, failure: null })
      const detail = yield* get(`/topics/${topic}`)
      const [entry] = detail.data.commentaries
      assert.deepInclude(entry, { share_id: shares[0], status: "completed", persona_name: "Ada Vance" })
      assert.include(entry.commentary.content, "Will it rain on Sunday?")
      assert.include(entry.commentary.content, "Written by the local generator from Ada Vance's own words.")
      assert.deepStrictEqual(yield* (yield* ScriptedGenerator).requests, [])
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "the first keyword in the content decides how a licensed persona's simulated creator acts; test personas ignore keywords",
  () =>
    Effect.gen(function* () {
      const { persona, sees, sent, settled, status } = yield* seedTestIntegration
      const words = [
        ["Is this declined? [decline]", "declined declined completed"],
        ["[EXPIRE] Is this expired? [decline]", "expired expired completed"],
        ["Does this [Fail] or [approve]?", "opinion_injected generation_failed completed"],
        ["Is this [ decline ] or [declined]?", "creator_approved completed"]
      ] as const
      for (const [content, end] of words) {
        const { topic } = yield* sent(content, persona.id)
        yield* settled(topic)
        yield* sees(topic, end)
      }
      const { topic } = yield* sent("Is this declined as well? [decline]", approves, persona.id)
      yield* settled(topic)
      assert.deepInclude((yield* status(topic)).summary, { total: 2, creator_approved: 1, declined: 1 })
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("only test keys see test personas, which come first in the list and have a description", () =>
  Effect.gen(function* () {
    const { get, live, persona, post } = yield* seedTestIntegration
    const { data } = yield* get("/personas")
    assert.deepStrictEqual(
      data.map(({ id, name }: { readonly id: string; readonly name: string }) => [id, name]),
      [
        [approves, "Avery Approves"],
        [declines, "Dana Declines"],
        [expires, "Eden Expires"],
        [fails, "Farah Fails"],
        [waits, "Wren Waits"],
        [persona.id, "Ada Vance"]
      ]
    )
    for (const { bio, id } of testPersonas) {
      const shown = yield* get(`/personas/${id.toUpperCase()}`)
      assert.deepInclude(shown.data, { id, bio, social_links: {} })
      assert.match(shown.data.image_url, /^http/)
    }
    const licensed = yield* get("/personas", live)
    assert.deepStrictEqual(
      licensed.data.map(({ id }: { readonly id: string }) => id),
      [persona.id]
    )
    assert.deepStrictEqual(
      (yield* get(`/personas/${approves}`, live)).error,
      (yield* get(`/personas/${unknownId}`, live)).error
    )
    const refused = yield* post("/topics", { content: "Will it rain on Sunday?", persona_ids: [approves] }, live)
    assert.deepStrictEqual(
      [refused.error.code, refused.error.details],
      ["no_valid_personas", [{ persona_id: approves, status: "not_licensed" }]]
    )
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a submission to test personas and other personas has its results in the order of the requested ids", () =>
  Effect.gen(function* () {
    const { owner, submit } = yield* seedTestIntegration
    const stranger = yield* Seed.createPersona(null)
    const licensed = yield* Seed.createPersona(owner, { creator: { name: "", email: "gone@creators.example" } })
    yield* (yield* CreatorAdministration).erase("gone@creators.example")
    const { data } = yield* submit("Who is asked?", stranger.id, waits, licensed.id, approves, waits)
    assert.deepStrictEqual(
      data.results.map(({ status }: { readonly status: string }) => status),
      ["not_licensed", "sent", "not_licensed", "sent", "duplicate"]
    )
    assert.strictEqual(data.results[4].duplicate_of.share_id, data.results[1].share_id)
    assert.notProperty(data.results[0], "share_id")
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "the test environment sends no mail and names no human creator after a submission, an address change or an erasure",
  () =>
    Effect.gen(function* () {
      const { advance, persona, sees, sent } = yield* seedTestIntegration
      const sql = yield* SqlClient.SqlClient
      const { email } = persona.creator
      const { topic } = yield* sent("Does this one fail? [fail]", persona.id, approves)
      yield* sees(topic, "topic_sent pending")
      for (const state of ["opinion_injected in_progress", "opinion_injected generation_failed"]) {
        yield* TestClock.adjust("1500 millis")
        yield* eventually(
          state,
          Effect.map(
            sql<{ readonly failure_reason: string | null; readonly status: string }>`SELECT failure_reason, status
          FROM assignments WHERE persona_id = ${persona.id}`,
            ([row]) => row?.status === "opinion_injected"
          )
        )
      }
      const waiting = yield* sent("Does this one wait?", waits, persona.id)
      yield* TestClock.adjust("40 days")
      const creators = yield* CreatorAdministration
      assert.deepStrictEqual(yield* creators.changeEmail(email, "moved@creators.example"), {
        personas: 1,
        assignments: 0
      })
      assert.deepStrictEqual(yield* creators.erase("moved@creators.example"), { personas: 1, assignments: 0 })
      assert.strictEqual((yield* advance(waiting.shares[0] ?? "")).error.details.field, "action")
      assert.deepStrictEqual(yield* (yield* Mailbox).all, [])
      const rows = yield* sql<{ readonly mails: number; readonly known: number }>`SELECT
      (SELECT count(*) FROM mails) AS mails, (SELECT count(*) FROM assignments WHERE creator_key <> '') AS known`
      assert.deepInclude(rows[0], { mails: 0, known: 0 })
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "the same test topic can be sent again after 60 seconds, and a live topic only after the longer duplicate window of live topics",
  () =>
    Effect.gen(function* () {
      const { live, persona, post, submit } = yield* seedTestIntegration
      const content = "Will it rain on Sunday?"
      const liveTopic = () => post("/topics", { content, persona_ids: [persona.id] }, live)
      assert.strictEqual((yield* submit(content, persona.id, approves)).data.personas_sent, 2)
      assert.strictEqual((yield* liveTopic()).data.personas_sent, 1)
      yield* TestClock.adjust("59999 millis")
      assert.strictEqual((yield* submit(content, persona.id, approves)).error.code, "no_valid_personas")
      yield* TestClock.adjust("1 milli")
      assert.strictEqual((yield* submit(content, persona.id, approves)).data.personas_sent, 2)
      assert.strictEqual((yield* liveTopic()).error.code, "no_valid_personas")
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("test topics neither use nor check a quota, and do not affect live topics", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(startTime)
    const { call } = yield* TestApi
    const owner = yield* Seed.createOrganization({ limits: { topics_per_month: 1, commentaries_per_month: 1 } })
    const persona = yield* Seed.createPersona(owner)
    const live = (yield* Seed.issueApiKey(owner)).text
    const test = (yield* Seed.issueApiKey(owner, { environment: "test" })).text
    const submit = (key: string, content: string) =>
      call("/partner/v1/topics", { method: "POST", key, body: { content, persona_ids: [persona.id] } })
    for (const number of [1, 2, 3]) assert.strictEqual((yield* submit(test, `Topic number ${number}?`)).status, 201)
    const asked = yield* submit(live, "Is this declined? [decline]")
    assert.strictEqual(asked.status, 201)
    const { data } = yield* readJson(asked)
    yield* TestClock.adjust("1 hour")
    const seen = yield* readJson(yield* call(`/partner/v1/topics/${data.topic_id}/status`, { key: live }))
    assert.deepInclude(seen.data.personas[0], { status: "topic_sent", share_id: data.results[0].share_id })
    assert.strictEqual((yield* submit(live, "Is one too many?")).status, 429)
    assert.strictEqual((yield* readJson(yield* call("/partner/v1/topics", { key: test }))).pagination.total, 3)
    assert.strictEqual((yield* readJson(yield* call("/partner/v1/topics", { key: live }))).pagination.total, 1)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the service never queries the host's PersonaStore for a test persona", () =>
  Effect.gen(function* () {
    const { get, sees, sent, status } = yield* seedTestIntegration
    const { topic } = yield* sent("Who knows these personas?", ...testPersonas.map(({ id }) => id))
    for (const { id } of testPersonas) assert.strictEqual((yield* get(`/personas/${id}`)).data.id, id)
    for (const state of [
      "opinion_injected in_progress",
      "commentary_generated in_progress",
      "creator_approved partial"
    ]) {
      yield* TestClock.adjust("1500 millis")
      yield* sees(topic, state)
      yield* eventually(
        "only one waits",
        Effect.map(status(topic), ({ summary }) => summary.topic_sent === 1)
      )
    }
  }).pipe(
    Effect.provide(
      TestApi.layerMemory.pipe(
        Layer.provideMerge(TestApi.workers),
        Layer.provideMerge(Core.layer),
        Layer.provide(
          Layer.mock(PersonaStore)({
            find: () => Effect.die("asked"),
            licensed: () => Effect.die("asked"),
            licensedAmong: () => Effect.die("asked")
          })
        ),
        Layer.provideMerge(Sqlite.layerMemory),
        Layer.provideMerge([
          Mailbox.layer,
          InMemoryWebhookReceivers.layer,
          Core.layerProcess,
          DashboardTokenVerifier.layerNone,
          ScriptedGenerator.layer,
          NodeCrypto.layer
        ]),
        Layer.provideMerge([
          Layer.succeed(WorkerSettings, {
            ...WorkerSettings.defaultValue(),
            pollInterval: Duration.days(36_500),
            pause: Duration.days(36_500),
            drafts: 1,
            mails: 1,
            deliveries: 10,
            media: 1
          }),
          PublicAddress.layer("http://test.invalid"),
          Layer.succeed(SigningSecrets, [Redacted.make("a secret of the tests")])
        ])
      )
    )
  )
)
