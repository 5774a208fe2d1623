/** Tests how many statements and commits SQLite needs for requests and for a complete workflow. */
import { assert, it } from "@effect/vitest"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { readJson } from "../support/Json.ts"
import * as RecordedPostgres from "../support/RecordedPostgres.ts"
import * as RecordedSqlite from "../support/RecordedSqlite.ts"
import { countCommits, recordTwoDrafts, runRecordedWorkflow } from "../support/RecordedWorkflow.ts"
import { submitTopic } from "../support/Requests.ts"

it.live("on SQLite a workflow with two webhooks stays within a fixed budget of statements and commits", () =>
  Effect.gen(function* () {
    const { counted, turns } = yield* runRecordedWorkflow<never>(3, RecordedSqlite.recordStatements)
    assert.isAtMost(turns.length, 248, counted)
    assert.isAtMost(countCommits(turns), 96, counted)
  }).pipe(Effect.provide(RecordedSqlite.layer))
)

it.effect(
  "on SQLite a submission takes a fixed number of statements and one commit, and a status request takes one statement",
  () =>
    Effect.gen(function* () {
      const { call } = yield* TestApi
      const owner = yield* Seed.createOrganization()
      const personas = yield* Effect.forEach(Array.from({ length: 3 }), () => Seed.createPersona(owner))
      const { text: key } = yield* Seed.issueApiKey(owner)
      const post = (number: number) =>
        call("/partner/v1/topics", {
          method: "POST",
          key,
          body: { content: `Who will win the cup ${number}?`, persona_ids: personas.map(({ id }) => id) }
        })
      yield* post(1)
      const { answer, turns } = yield* RecordedSqlite.recordStatements(post(2))
      assert.strictEqual(answer.status, 201)
      const written = ["duplicate_windows", "topics", "assignments", "mails", "usage_months", "counters"]
      assert.deepStrictEqual(turns.map(RecordedPostgres.summarizeStatements), [
        "SELECT licenses",
        "BEGIN",
        ...written.map((table) => `INSERT ${table}`),
        "COMMIT"
      ])
      const { data } = yield* readJson(answer)
      const polled = yield* RecordedSqlite.recordStatements(call(`/partner/v1/topics/${data.topic_id}/status`, { key }))
      assert.strictEqual(polled.answer.status, 200)
      assert.deepStrictEqual(polled.turns.map(RecordedPostgres.summarizeStatements), ["SELECT topics"])
    }).pipe(Effect.provide(RecordedSqlite.layer))
)

it.live("on SQLite two concurrent drafts for the same persona load the persona once", () =>
  Effect.gen(function* () {
    const kinds = yield* recordTwoDrafts<never>(RecordedSqlite.recordStatements)
    assert.lengthOf(
      kinds.filter((kind) => kind === "INSERT drafts"),
      2
    )
    assert.lengthOf(
      kinds.filter((kind) => kind === "SELECT personas"),
      1
    )
  }).pipe(Effect.provide(RecordedSqlite.layer))
)

it.live("on SQLite concurrent claims or updates of mails are stored in one commit", () =>
  Effect.gen(function* () {
    const store = yield* MailStore
    const owner = yield* Seed.createOrganization()
    const personas = yield* Effect.forEach(Array.from({ length: 5 }), () => Seed.createPersona(owner))
    const { text: key } = yield* Seed.issueApiKey(owner)
    yield* submitTopic(key, "Who will win the cup this year?", personas)
    const now = yield* Clock.currentTimeMillis
    const claim = store.claim(now, now + 60_000, 5)
    const both = yield* RecordedSqlite.recordStatements(Effect.all([claim, claim], { concurrency: "unbounded" }))
    const claimed = both.answer.flat()
    assert.lengthOf(claimed, 5)
    const claims = ["BEGIN", "WITH", "SAVEPOINT", "WITH", "RELEASE", "COMMIT"]
    assert.deepStrictEqual(both.turns.map(RecordedPostgres.summarizeStatements), claims)
    const { answer, turns } = yield* RecordedSqlite.recordStatements(
      Effect.forEach(claimed, (mail) => store.settle(mail, { state: "sent" }, now), { concurrency: "unbounded" })
    )
    assert.deepStrictEqual(answer, [true, true, true, true, true])
    const updates = Array.from({ length: 4 }, () => ["SAVEPOINT", "UPDATE mails", "RELEASE"]).flat()
    assert.deepStrictEqual(turns.map(RecordedPostgres.summarizeStatements), [
      "BEGIN",
      "UPDATE mails",
      ...updates,
      "COMMIT"
    ])
  }).pipe(Effect.provide(RecordedSqlite.layer))
)
