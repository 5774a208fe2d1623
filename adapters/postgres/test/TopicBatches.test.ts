/**
 * Tests topics that one or several nodes submit and read in batches. Each caller gets the same result as without
 * batches. The read of a batch uses only the primary key.
 */
import { assert, it } from "@effect/vitest"
import type { ShareId } from "@partner-commentary/core/shared/Ids"
import { Transaction } from "@partner-commentary/core/shared/Transaction"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import * as PostgresClient from "@partner-commentary/postgres/PostgresClient"
import * as Stores from "@partner-commentary/sql/Stores"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import {
  makePersona,
  makePersonas,
  makeRepeatedSubmission,
  makeSubmission
} from "@partner-commentary/testkit/support/Fixtures"
import { readTopicUsage } from "@partner-commentary/testkit/webhook/TopicUsage"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"

const node = Effect.map(Layer.build(Layer.fresh(Stores.layerTopics)), (context) => Context.get(context, TopicStore))
const atOnce = { concurrency: "unbounded" } as const

it.effect("four nodes that accept topics concurrently exceed no quota and accept no duplicate", () =>
  Effect.gen(function* () {
    const nodes = yield* Effect.all([node, node, node, node])
    const quotas = { topics_per_month: 1000, commentaries_per_month: 61 }
    const { organizationId } = makeSubmission().topic
    const all = Array.from({ length: 25 }, () =>
      makeSubmission({ personas: makePersonas(2), quotas, topic: { organizationId } })
    )
    const outcomes = yield* Effect.forEach(
      nodes.flatMap((store) => all.map((one) => [store, makeRepeatedSubmission(one)] as const)),
      ([store, one]) => Effect.result(store.submit(one)),
      atOnce
    )
    assert.lengthOf(
      outcomes.filter(({ _tag }) => _tag === "Success"),
      25
    )
    assert.deepStrictEqual(yield* readTopicUsage({ organizationId, environment: "live" }), {
      topics: 25,
      held: 25,
      units: 50
    })
    const more = yield* Effect.forEach(
      nodes.flatMap((store) =>
        Array.from(
          { length: 5 },
          () => [store, makeSubmission({ personas: makePersonas(2), quotas, topic: { organizationId } })] as const
        )
      ),
      ([store, one]) => Effect.result(store.submit(one)),
      atOnce
    )
    assert.lengthOf(
      more.filter(({ _tag }) => _tag === "Success"),
      5
    )
    assert.deepStrictEqual(yield* readTopicUsage({ organizationId, environment: "live" }), {
      topics: 30,
      held: 30,
      units: 60
    })
  }).pipe(Effect.provide(TestDatabase.layer))
)

const usedUpMeanwhile = (part: Transaction["Service"]["run"]) =>
  Effect.gen(function* () {
    const store = yield* TopicStore
    const sql = yield* SqlClient.SqlClient
    const quotas = { topics_per_month: 5, commentaries_per_month: 5 }
    const first = makeSubmission({ quotas })
    yield* store.submit(first)
    const next = makeSubmission({ quotas, topic: { organizationId: first.topic.organizationId } })
    const others = yield* Deferred.make<void>()
    const waiting = yield* Effect.forkChild(
      Effect.andThen(Deferred.await(others), Effect.flip(part(store.submit(next))))
    )
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`UPDATE usage_months SET topics_created = 5`
        yield* Deferred.succeed(others, undefined)
        // The query also compares the database, because databases that are copied from the same template have the same
        // table OIDs.
        const waits = sql`SELECT 1 FROM pg_locks WHERE NOT granted AND pid IN (SELECT pid FROM pg_locks
          WHERE relation = 'usage_months'::regclass
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`
        yield* Effect.repeat(waits, { until: ({ length }) => length > 0, schedule: Schedule.spaced("5 millis") })
      })
    )
    assert.deepInclude(yield* Fiber.join(waiting), { _tag: "QuotaExceeded", quota: "topics_per_month", remaining: 0 })
    assert.deepStrictEqual(yield* readTopicUsage(first.topic), { topics: 1, held: 5, units: 1 })
  }).pipe(Effect.provide(TestDatabase.layer))

it.live("a topic that waits to be written is refused if other topics use up the quota meanwhile", () =>
  usedUpMeanwhile((change) => change)
)

it.live("a submission within a larger transaction cannot exceed a quota, even if that transaction is retried", () =>
  Effect.flatMap(Transaction, ({ run }) => usedUpMeanwhile(run)).pipe(Effect.provide(TestDatabase.layer))
)

it.effect("a caller within a larger transaction can continue after a quota has refused a topic", () =>
  Effect.gen(function* () {
    const store = yield* TopicStore
    const { run } = yield* Transaction
    const quotas = { topics_per_month: 1, commentaries_per_month: 5 }
    const first = makeSubmission({ quotas })
    yield* run(
      Effect.gen(function* () {
        yield* store.submit(first)
        const next = makeSubmission({ quotas, topic: { organizationId: first.topic.organizationId } })
        assert.deepInclude(yield* Effect.flip(store.submit(next)), { _tag: "QuotaExceeded", quota: "topics_per_month" })
      })
    )
    assert.deepStrictEqual(yield* readTopicUsage(first.topic), { topics: 1, held: 1, units: 1 })
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.effect("if one topic of a batch cannot be written, only the submission of that topic fails", () =>
  Effect.gen(function* () {
    const store = yield* TopicStore
    const { organizationId } = makeSubmission().topic
    // The host's own PersonaStore may return invalid addresses: an empty address, or an address that is too long for an
    // index.
    const emails = new Map([
      [3, undefined as unknown as string],
      [7, `${Array.from({ length: 200 }, () => crypto.randomUUID()).join("")}@creators.example`]
    ])
    const all = Array.from({ length: 12 }, (_, place) => {
      const creator = { name: "Ada N.", email: emails.has(place) ? emails.get(place)! : "ada@creators.example" }
      return makeSubmission({ topic: { organizationId }, personas: [makePersona({ creator })] })
    })
    const exits = yield* Effect.forEach(all, (one) => Effect.exit(store.submit(one)), atOnce)
    assert.deepStrictEqual(
      exits.flatMap((exit, place) => (Exit.isFailure(exit) ? [place] : [])),
      [...emails.keys()]
    )
    assert.deepStrictEqual(yield* readTopicUsage({ organizationId, environment: "live" }), {
      topics: 10,
      held: 10,
      units: 10
    })
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.effect("a caller without access gets no data from the batch of another caller", () =>
  Effect.gen(function* () {
    const store = yield* TopicStore
    const mine = makeSubmission().topic
    const { topic } = yield* store.submit(makeSubmission({ topic: mine }))
    const owners = [
      mine,
      { ...mine, environment: "test" as const },
      { ...mine, organizationId: makeSubmission().topic.organizationId }
    ]
    const asked = Array.from({ length: 60 }, (_, place) => owners[place % 3] ?? mine)
    const found = yield* Effect.forEach(asked, (owner) => store.progress(owner, topic.id), atOnce)
    assert.deepStrictEqual(
      found.map(Option.isSome),
      asked.map((owner) => owner === mine)
    )
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.effect("an id that Postgres cannot store fails no read of the same batch", () =>
  Effect.gen(function* () {
    const store = yield* TopicStore
    const assignments = yield* AssignmentStore
    const mine = makeSubmission().topic
    const { sent, topic } = yield* store.submit(makeSubmission({ topic: mine }))
    const odd = ["\0", "\uD800", 'a"{,}\\', "NULL", ""]
    const topicIds = odd.flatMap((id) => [id as typeof topic.id, topic.id])
    const shareIds = odd.flatMap((id) => [id as ShareId, ...sent])
    const founds = yield* Effect.all(
      [
        Effect.forEach(topicIds, (id) => store.progress(mine, id), atOnce),
        Effect.forEach(topicIds, (id) => store.revision(mine, id), atOnce),
        Effect.forEach(shareIds, (id) => assignments.find(id), atOnce)
      ],
      atOnce
    )
    for (const found of founds) {
      assert.deepStrictEqual(
        found.map((one) => Option.isSome<unknown>(one)),
        topicIds.map((id) => id === topic.id)
      )
    }
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.effect("a submission within a larger transaction runs alone, and a rollback removes the submission completely", () =>
  Effect.gen(function* () {
    const store = yield* TopicStore
    const sql = yield* SqlClient.SqlClient
    const one = makeSubmission()
    const seen = yield* Effect.flip(
      sql.withTransaction(
        Effect.gen(function* () {
          yield* store.submit(one)
          return yield* Effect.fail(yield* store.progress(one.topic, one.topic.id))
        })
      )
    )
    assert.isTrue(Option.isOption(seen) && Option.isSome(seen))
    assert.isTrue(Option.isNone(yield* store.progress(one.topic, one.topic.id)))
    assert.deepStrictEqual(yield* readTopicUsage(one.topic), { topics: 0, held: 0, units: 0 })
  }).pipe(Effect.provide(TestDatabase.layer))
)

/** Returns how many times each index was read, after the session has flushed its statistics. */
const reads = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* sql`SELECT pg_stat_force_next_flush()`
  const rows = yield* sql<{ readonly name: string; readonly reads: number }>`
    SELECT indexrelname AS name, idx_scan AS reads FROM pg_stat_user_indexes WHERE relname IN ('topics', 'assignments')
    UNION ALL SELECT relname || ' as a whole', seq_scan FROM pg_stat_user_tables WHERE relname IN ('topics', 'assignments')`
  return new Map(rows.map(({ name, reads }) => [name, reads]))
})

it.effect("a topic is read by its primary key alone, even on a database without statistics", () =>
  Effect.gen(function* () {
    const url = yield* TestDatabase.fresh
    const test = Effect.gen(function* () {
      const store = yield* TopicStore
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE topics SET (autovacuum_enabled = off)`
      yield* sql`ALTER TABLE assignments SET (autovacuum_enabled = off)`
      const { organizationId } = makeSubmission().topic
      const all = Array.from({ length: 300 }, () => makeSubmission({ topic: { organizationId } }))
      yield* Effect.forEach(all, (one) => store.submit(one), atOnce)
      const [first = makeSubmission()] = all
      const before = yield* reads(sql)
      // The statement runs often enough that Postgres would switch to a cached generic plan.
      for (let time = 0; time < 8; time++) {
        yield* store.progress(first.topic, first.topic.id)
        yield* store.find(first.topic, first.topic.id)
      }
      const after = yield* reads(sql)
      const more = [...after].filter(([name, times]) => times > (before.get(name) ?? 0)).map(([name]) => name)
      assert.deepStrictEqual(more.toSorted(), ["assignments_pkey", "topics_pkey"])
    })
    const stores = Layer.provideMerge(Stores.layerTopics, PostgresClient.layer({ url, poolSize: 1 }))
    yield* Effect.provide(test, Layer.fresh(stores))
  }).pipe(Effect.scoped)
)
