/** Tests the cost of the stores on SQLite: the number of statements, and the index that each statement uses. */
import { assert, describe, it } from "@effect/vitest"
import { ApiKeyStore } from "@partner-commentary/core/access/ApiKeyStore"
import { recordFinishedMediaFile } from "@partner-commentary/core/commentary/MediaJob"
import { MediaJobStore } from "@partner-commentary/core/commentary/MediaJobStore"
import { IdempotencyStore } from "@partner-commentary/core/idempotency/IdempotencyStore"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import { Retention } from "@partner-commentary/core/operations/Retention"
import { WorkBacklog } from "@partner-commentary/core/operations/WorkBacklog"
import { OrganizationStore } from "@partner-commentary/core/partner/OrganizationStore"
import { PerformanceStore } from "@partner-commentary/core/performance/PerformanceStore"
import { PersonaStore } from "@partner-commentary/core/persona/PersonaStore"
import { calculateLatestPlausibleDueTimes } from "@partner-commentary/core/shared/DueTimes"
import { Environment } from "@partner-commentary/core/shared/Owner"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { referenceLookupLimits } from "@partner-commentary/core/topic/Topics"
import { approve } from "@partner-commentary/core/topic/Workflow"
import { UsageStore } from "@partner-commentary/core/usage/UsageStore"
import { DeliveryStore } from "@partner-commentary/core/webhook/DeliveryStore"
import { layerMemory } from "@partner-commentary/sqlite/Sqlite"
import * as Creator from "@partner-commentary/testkit/support/Creator"
import {
  day,
  makeApiKey,
  makeCommentaryId,
  makePersonas,
  makeSubmission,
  start
} from "@partner-commentary/testkit/support/Fixtures"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import { findExpectedIndexPattern, topicListFilters } from "./ListFilters.ts"
import { callEveryWebhookStoreMethod } from "./WebhookStatements.ts"

interface Run {
  readonly text: string
  readonly params: ReadonlyArray<unknown>
}

/**
 * Matches statements that may sort, because they sort only a few rows. Examples of such rows are a creator's open
 * assignments, waiting webhooks, the days of a period, the assignments of a new topic, and one page of a list.
 */
const sortsFew =
  /creator_key =|external_reference =|RECURSIVE owner|few\.place|UNION ALL SELECT moment|few.event_id DESC|JOIN delivery_attempts|GROUP BY persona_id, name|t.id, a.position|topic_id = \?\) AS sent/

/** Returns the statements that an effect runs, without BEGIN and COMMIT. */
const statementsOf = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<ReadonlyArray<Run>, E, R> =>
  Effect.suspend(() => {
    const runs: Array<Run> = []
    return effect.pipe(
      Effect.provideService(Statement.CurrentTransformer, (statement) =>
        Effect.sync(() => {
          const [text, params] = statement.compile()
          runs.push({ text, params })
          return statement
        })
      ),
      Effect.as(runs)
    )
  })

describe("Statements of the stores", () => {
  it.effect("a submission needs six statements for any number of personas", () =>
    Effect.gen(function* () {
      const topics = yield* TopicStore
      for (const count of [1, 3, 100]) {
        const runs = yield* statementsOf(topics.submit(makeSubmission({ personas: makePersonas(count) })))
        assert.strictEqual(runs.length, 6)
      }
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect(
    "a change needs two additional statements for each event that it causes, and none if it causes no event",
    () =>
      Effect.gen(function* () {
        const { sent } = yield* (yield* TopicStore).submit(makeSubmission({ personas: makePersonas(2) }))
        const [first, second] = sent
        if (first === undefined || second === undefined) return assert.fail("nothing was sent")
        const about = (runs: ReadonlyArray<Run>) =>
          runs.filter(({ text }) => /events|deliveries|webhooks/.test(text)).length
        assert.strictEqual(about(yield* statementsOf(Creator.respondAndDraft(first))), 0)
        assert.strictEqual(about(yield* statementsOf(Creator.revise(first))), 0)
        assert.strictEqual(about(yield* statementsOf(Creator.approve(first))), 2)
        // The decline completes the topic, and the completed topic causes a second event.
        assert.strictEqual(about(yield* statementsOf(Creator.decline(second))), 4)
      }).pipe(Effect.provide(layerMemory))
  )

  it.effect(
    "submissions with the same number of personas have the same statement text and reuse prepared statements",
    () =>
      Effect.gen(function* () {
        const topics = yield* TopicStore
        const first = yield* statementsOf(topics.submit(makeSubmission({ personas: makePersonas(3) })))
        const second = yield* statementsOf(topics.submit(makeSubmission({ personas: makePersonas(3) })))
        assert.deepStrictEqual(
          second.map(({ text }) => text),
          first.map(({ text }) => text)
        )
      }).pipe(Effect.provide(layerMemory))
  )

  it.effect(
    "a topic's progress, its detail and the topics of a reference each take one statement, and a list takes two",
    () =>
      Effect.gen(function* () {
        const topics = yield* TopicStore
        const given = makeSubmission({ personas: makePersonas(3), topic: { externalReference: "a" } })
        yield* topics.submit(given)
        const list = { owner: given.topic, status: null, limit: 20, from: { offset: 0 } }
        assert.strictEqual((yield* statementsOf(topics.progress(given.topic, given.topic.id))).length, 1)
        assert.strictEqual((yield* statementsOf(topics.find(given.topic, given.topic.id))).length, 1)
        assert.strictEqual((yield* statementsOf(topics.byReference(given.topic, "a", referenceLookupLimits))).length, 1)
        assert.strictEqual((yield* statementsOf(topics.list(list))).length, 2)
      }).pipe(Effect.provide(layerMemory))
  )

  it.effect(
    "statements about due assignments have the environment and the limit in their text, so that they stay prepared",
    () =>
      Effect.gen(function* () {
        const store = yield* AssignmentStore
        const backlog = yield* WorkBacklog
        const runs = yield* statementsOf(
          Effect.andThen(
            Effect.forEach(Environment.literals, (environment) =>
              Effect.andThen(store.due(environment, start, 10), store.nextDue([environment]))
            ),
            backlog.due(start, 100)
          )
        )
        const asked = runs.map(({ text }) => text).filter((text) => text.includes("assignments"))
        assert.lengthOf(asked, 5)
        for (const text of asked) assert.notMatch(text, /environment = \?|LIMIT \?/)
      }).pipe(Effect.provide(layerMemory))
  )

  it.effect("no index has the condition `environment = …`, so statements about topics and events stay prepared", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const indexes = yield* sql<{ readonly name: string }>`SELECT name FROM sqlite_schema WHERE type = 'index'
        AND tbl_name IN ('topics', 'events', 'duplicate_windows') AND sql LIKE '%WHERE%environment = %'`
      assert.deepStrictEqual(
        indexes.map(({ name }) => name),
        []
      )
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("no statement reads a whole table, sorts a whole list, or is prepared again at every run", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const runs = yield* statementsOf(everything)
      assert.isAbove(runs.length, 40)
      for (const { params, text } of runs) {
        assert.notMatch(
          text,
          /\b(?:LIMIT|LIKE|GLOB) \?/,
          "SQLite prepares a statement with such a bound value again at every run"
        )
        const plan = yield* sql.unsafe<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${text}`, params)
        for (const { detail } of plan) {
          assert.notMatch(
            detail,
            /^SCAN (?!.*USING (COVERING )?INDEX)(?!\d+-ROW VALUES)(?!t$)(?!owner$)(?!waiting$)(?!rounds$)(?!part VIRTUAL TABLE INDEX 1:$)(?!few$)(?!due$)(?!\(subquery-\d+\)$)(?!CONSTANT ROW$)/,
            text
          )
          if (readsPart.test(text) && detail.includes("topics")) {
            assert.match(detail, /COVERING INDEX topics_newest \(organization_id=\? AND environment=\? AND /, text)
            assert.match(detail, /created_at<\?\)$/, text)
          }
          if (text.includes("RECURSIVE owner (id, place)") && / (a|one) USING/.test(detail)) {
            assert.match(detail, /assignments_open|\(id=\?\)$/, text)
          }
          if (text.includes("THEN approve_by") && detail.includes(" assignments ")) {
            assert.match(detail, /COVERING INDEX assignments_due_steps \(environment=\?( AND |\)$)/, text)
          }
          if (readsDays.test(text) && detail.includes("SEARCH")) {
            assert.match(detail, /PRIMARY KEY \(organization_id=\? AND environment=\? AND day>\?/, text)
          }
          if (detail.includes(" events USING") && text.includes("type = ?")) {
            assert.match(
              detail,
              /events_by_type \(organization_id=\? AND environment=\? AND type=\? AND |PRIMARY KEY \(id=/,
              text
            )
          }
          if (
            /FROM topics +WHERE.*(external_reference|updated_at|created_at) [=><] \?/s.test(text) &&
            detail.includes("topics")
          ) {
            assert.match(detail, findExpectedIndexPattern(text), text)
          }
          if (text.includes("AND status = ?") && detail.includes("topics") && !detail.endsWith("(id=?)"))
            assert.include(detail, "status=?")
          if (!sortsFew.test(text)) assert.notMatch(detail, /TEMP B-TREE/, text)
        }
      }
    }).pipe(Effect.provide(layerMemory))
  )
})

/** Matches the statement that reads only the requested part of the topics of one day. */
const readsPart = /^SELECT a.topic_id, t.created_at, a.persona_id/

const readsDays = /AND day >= /

const everything = Effect.gen(function* () {
  const topics = yield* TopicStore
  const assignments = yield* AssignmentStore
  const mails = yield* MailStore
  const performance = yield* PerformanceStore
  const given = makeSubmission({ personas: makePersonas(3), topic: { externalReference: "a" } })
  const { id, organizationId } = given.topic
  const { sent } = yield* topics.submit(given)
  yield* topics.submit(makeSubmission({ topic: { environment: "test" } }))
  yield* topics.progress(given.topic, id)
  yield* topics.find(given.topic, id)
  yield* topics.byReference(given.topic, "a", referenceLookupLimits)
  for (const status of [null, "pending"] as const) {
    for (const from of [{ offset: 0 }, { cursor: { createdAt: start, id } }]) {
      yield* topics.list({ owner: given.topic, status, limit: 20, from })
      for (const filter of topicListFilters)
        yield* topics.list({ owner: given.topic, status, limit: 20, from, ...filter })
    }
  }
  for (const one of sent.slice(0, 1)) {
    yield* Creator.respondAndDraft(one)
    yield* Creator.revise(one)
    yield* Creator.approve(one)
    yield* assignments.find(one)
    yield* assignments.forgetDrafts(one)
  }
  for (const environment of Environment.literals) {
    for (const limit of [1, 10]) yield* assignments.due(environment, start + 9 * day, limit)
    yield* assignments.due(environment, start + 9 * day, 10, false)
  }
  yield* assignments.nextDue(Environment.literals)
  yield* assignments.openOf("ada@example.org", 1)
  yield* assignments.allOf("ada@example.org")
  yield* assignments.stalled
  for (const mail of yield* mails.claim(start, start + day, 1)) yield* mails.settle(mail, { state: "sent" }, start)
  yield* mails.nextDue
  const latest = calculateLatestPlausibleDueTimes(start, Duration.minutes(1), [Duration.minutes(1), Duration.hours(1)])
  yield* mails.repairDueTimes(latest)
  yield* assignments.putOff(latest, start, 10)
  yield* (yield* MediaJobStore).repairDueTimes(latest)
  yield* (yield* DeliveryStore).repairDueTimes(latest)
  yield* mails.failed(10)
  const period = { start, end: start + day }
  const { next } = yield* performance.page(given.topic, period, null, 1)
  yield* performance.page(given.topic, period, next, 10)
  for (const end of [start + day, null]) yield* performance.days(given.topic, start, end)
  yield* Effect.flatMap(PersonaStore, (store) => store.licensedAmong(organizationId, given.requested, start))
  const keys = yield* ApiKeyStore
  const key = makeApiKey({ organizationId })
  yield* keys.insert({ key, hash: "x" }, 1, { action: "", subject: "", organizationId, details: {} })
  yield* keys.findByHash("x")
  yield* keys.find(organizationId, key.id)
  yield* keys.list(organizationId, start, 10)
  yield* keys.modify(key.id, null, () =>
    Result.succeed({ revokedAt: start, isRevoked: true, successor: null, record: null })
  )
  yield* Effect.flatMap(OrganizationStore, (store) => store.findByIdentity("x"))
  yield* Effect.flatMap(UsageStore, (store) => store.ofMonth({ organizationId, environment: "live" }, "2026-01"))
  yield* everyMediaJob
  yield* callEveryWebhookStoreMethod
  const answers = yield* IdempotencyStore
  const claim = { id: "x", fingerprint: "x", at: start, until: start + day }
  yield* Effect.andThen(
    answers.claim(claim),
    answers.keep("x", { status: 200, location: null, body: "", encrypted: false })
  )
  yield* answers.find("x", start)
  const retention = yield* Retention
  yield* retention.count({
    mails: start,
    windows: start,
    answers: start,
    events: start,
    testTopics: start + 2 * day
  })
  yield* retention.purgeTests(start)
  yield* retention.purge({
    mails: start,
    windows: start,
    answers: start,
    events: start,
    testTopics: start + 2 * day
  })
})

const everyMediaJob = Effect.gen(function* () {
  const store = yield* MediaJobStore
  const given = makeSubmission({ topic: { outputTypes: ["audio", "video"] } })
  const [share] = (yield* (yield* TopicStore).submit(given)).sent
  if (share === undefined) return assert.fail("nothing was sent")
  yield* Creator.respondAndDraft(share)
  const mediaRequests = [
    { kind: "audio", name: "a" },
    { kind: "video", name: "v" }
  ] as const
  const action = { draftId: null, content: null, commentaryId: makeCommentaryId(), contentHash: "hash", mediaRequests }
  yield* (yield* AssignmentStore).modify(share, (present) => approve(present, action, 0))
  const outcomes = [
    { state: "waiting", until: start, reason: "" },
    { state: "released" },
    { state: "failed", reason: "" },
    null
  ] as const
  for (const outcome of outcomes) {
    const taken = yield* store.claim(start, start + day, ["audio", "video"], 10)
    assert.lengthOf(taken, 2)
    for (const job of taken) {
      if (outcome !== null) yield* store.settle(job, outcome, start)
      else
        yield* (yield* AssignmentStore).modify(share, (present) =>
          Result.succeed(recordFinishedMediaFile(present, job, "a"))
        )
    }
    yield* store.failed(10)
    yield* store.restart(outcome?.state === "failed" ? share : null, start)
    yield* store.nextDue(["audio", "video"])
  }
})
