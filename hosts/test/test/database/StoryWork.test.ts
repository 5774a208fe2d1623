/**
 * Tests the number of round trips and commits on Postgres, from the submission of a topic to the delivered events. A
 * proxy counts the round trips.
 */
import { assert, it } from "@effect/vitest"
import { type ShareId, TopicId } from "@partner-commentary/core/shared/Ids"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import * as Workflow from "@partner-commentary/core/topic/Workflow"
import { type ClaimedDelivery, DeliveryStore } from "@partner-commentary/core/webhook/DeliveryStore"
import { extractCreatorToken, Mailbox } from "@partner-commentary/test/Mailbox"
import * as Seed from "@partner-commentary/test/Seed"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { registerWebhook } from "../support/DeliveryCalls.ts"
import * as RecordedPostgres from "../support/RecordedPostgres.ts"
import { countCommits, recordTwoDrafts, runJobsUntilNoneDue, runRecordedWorkflow } from "../support/RecordedWorkflow.ts"
import { actAsCreator, submitTopic } from "../support/Requests.ts"

const change = ["BEGIN", "SELECT topics", "WITH", "COMMIT"]

const play = (count: number) =>
  runRecordedWorkflow<RecordedPostgres.DatabaseProxy>(count, RecordedPostgres.recordRoundTrips)

it.live("a creator's response or approval needs one read and a transaction of four round trips", () =>
  Effect.gen(function* () {
    const { approved, responded } = (yield* play(1)).steps
    for (const { turns } of [responded, approved]) {
      assert.deepStrictEqual(turns.map(RecordedPostgres.summarizeStatements), ["SELECT assignments", ...change])
    }
  }).pipe(Effect.provide(RecordedPostgres.layer))
)

it.live("one transaction marks a mail as sent and changes the status of the assignment", () =>
  Effect.gen(function* () {
    const { mailed } = (yield* play(1)).steps
    const kinds = mailed.turns.map(RecordedPostgres.summarizeStatements)
    assert.deepStrictEqual(kinds.slice(kinds.indexOf("BEGIN"), kinds.indexOf("COMMIT") + 1), change)
    assert.notInclude(kinds, "UPDATE mails")
  }).pipe(Effect.provide(RecordedPostgres.layer))
)

it.live("a workflow with three personas and two webhooks stays within a fixed budget of round trips and commits", () =>
  Effect.gen(function* () {
    const { counted, turns } = yield* play(3)
    assert.isAtMost(turns.length, 172, counted)
    assert.isAtMost(countCommits(turns), 98, counted)
  }).pipe(Effect.provide(RecordedPostgres.layer))
)

it.live("two concurrent drafts for the same persona load the persona once", () =>
  Effect.gen(function* () {
    const kinds = yield* recordTwoDrafts<RecordedPostgres.DatabaseProxy>(RecordedPostgres.recordRoundTrips)
    assert.lengthOf(
      kinds.filter((kind) => kind === "SELECT personas"),
      1
    )
  }).pipe(Effect.provide(RecordedPostgres.layer))
)

/** Submits topics to the same personas, and returns three effects for each assignment: respond, decline and remind. */
const assignmentsOf = Effect.fnUntraced(function* (count: number, topics = ["Who will win the cup this year?"]) {
  const store = yield* AssignmentStore
  const { find } = yield* TopicStore
  const owner = yield* Seed.createOrganization()
  const personas = yield* Effect.forEach(Array.from({ length: count }), () => Seed.createPersona(owner))
  const { text: key } = yield* Seed.issueApiKey(owner)
  const ids: Array<ShareId> = []
  for (const content of topics) {
    const topicId = TopicId.make(yield* submitTopic(key, content, personas))
    const found = yield* find({ organizationId: owner.id, environment: "live" }, topicId)
    ids.push(...Option.getOrThrow(found).assignments.map(({ id }) => id))
  }
  const now = yield* Clock.currentTimeMillis
  return ids.map((id) => ({
    respond: store.modify(id, (present) => Workflow.respond(present, { perspective: "Nobody." }, now)),
    decline: store.modify(id, (present) => Workflow.decline(present, { reason: "No." }, now)),
    remind: store.modify(id, (present) => Result.succeed(Workflow.makeChange({ ...present, reminders: 1 })))
  }))
})

/**
 * Starts all changes concurrently. The first change has its own transaction, and the other changes share the next
 * transaction.
 */
const makeAtOnce = <E, R>(changes: ReadonlyArray<Effect.Effect<unknown, E, R>>) =>
  RecordedPostgres.recordRoundTrips(Effect.all(changes, { concurrency: "unbounded", discard: true }))

it.live("concurrent changes of different assignments are committed in a shared transaction", () =>
  Effect.gen(function* () {
    const assignments = yield* assignmentsOf(5)
    const { turns } = yield* makeAtOnce(assignments.map(({ respond }) => respond))
    const others = ["BEGIN", "SELECT topics", "WITH", "WITH", "WITH", "WITH", "COMMIT"]
    assert.deepStrictEqual(turns.map(RecordedPostgres.summarizeStatements), [...change, ...others])
  }).pipe(Effect.provide(RecordedPostgres.layer))
)

it.live("concurrent changes of the same assignment are committed in a shared transaction", () =>
  Effect.gen(function* () {
    const [first = assert.fail(), second = assert.fail()] = yield* assignmentsOf(2)
    const { turns } = yield* makeAtOnce([first.decline, second.respond, second.remind])
    const others = ["BEGIN", "SELECT topics", "WITH", "WITH", "COMMIT"]
    assert.deepStrictEqual(turns.map(RecordedPostgres.summarizeStatements), [...change, ...others])
  }).pipe(Effect.provide(RecordedPostgres.layer))
)

// A submission locks rows of usage_months before rows of counters. A transaction that locks these rows in the opposite
// order could block the submission until the lock timeout.
it.live("a transaction writes the usage and the counters of all its changes in its last statement", () =>
  Effect.gen(function* () {
    const assignments = yield* assignmentsOf(2, ["Who will win the cup?", "Who will win the league?"])
    const { turns } = yield* makeAtOnce(assignments.map(({ decline }) => decline))
    const shared = turns.map((turn) =>
      [...turn.join().matchAll(/INTO (usage_months|counters)/g)].map(([, table]) => table)
    )
    const both = ["usage_months", "counters"]
    assert.deepStrictEqual(shared, [[], [], both, [], [], [], [], [], both, []])
  }).pipe(Effect.provide(RecordedPostgres.layer))
)

const arrived = { duration: 1, status: 204, failure: null, reason: null, excerpt: "", retryAfter: null }

it.live(
  "if several delivery attempts to one webhook end at the same time, they are stored in a shared transaction",
  () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const owner = yield* Seed.createOrganization()
      const personas = yield* Effect.forEach(Array.from({ length: 5 }), () => Seed.createPersona(owner))
      const { text: key } = yield* Seed.issueApiKey(owner)
      yield* registerWebhook(key, ["commentary.failed"])
      yield* submitTopic(key, "Who will win the cup this year?", personas)
      yield* runJobsUntilNoneDue
      const mails = yield* (yield* Mailbox).all
      yield* Effect.forEach(mails.slice(-5).map(extractCreatorToken), (token) =>
        actAsCreator(token, "decline", { reason: "No." })
      )
      const now = yield* Clock.currentTimeMillis
      const [webhook = assert.fail("no delivery is due")] = yield* store.dueWebhooks(now, 5, 1)
      const claimed = yield* store.claim(webhook.webhookId, now, now + 60_000, {
        allow: () => ({ limit: 5, probe: false }),
        taken: (receiver) => receiver
      })
      assert.lengthOf(claimed, 5)
      const settle = (one: ClaimedDelivery) =>
        store.settle(one, { ...arrived, at: now }, now, (receiver) => ({
          ...{ receiver, next: { state: "delivered" as const }, notice: null, audit: null }
        }))
      const { turns } = yield* RecordedPostgres.recordRoundTrips(
        Effect.forEach(claimed, settle, { concurrency: "unbounded" })
      )
      const each = ["BEGIN", "SELECT webhooks", "WITH", "COMMIT"]
      // The first attempt is stored in its own transaction, and the other attempts share the next transaction.
      assert.deepStrictEqual(turns.map(RecordedPostgres.summarizeStatements), [...each, ...each])
      assert.isTrue(Option.isNone(yield* store.nextDue))
    }).pipe(Effect.provide(RecordedPostgres.layer))
)

/** Returns the tables that a statement reads or writes, without the names of its WITH clauses. */
const tablesOf = (statement: string) => {
  const named = [...statement.matchAll(/\b(?:FROM|INTO|UPDATE|JOIN) "?([a-z_]+)"?/g)].map(([, table = ""]) => table)
  return [...new Set(named.filter((table) => !/^(?:write_|due$|owner$|waiting$|given$)/.test(table)))].toSorted().join()
}

/**
 * The tables of the statements that do not contain the organization's id. `docs/performance.md` lists how
 * each of these statements must change for a distributed database.
 */
const byOtherKeys = new Set([
  // The statements BEGIN and COMMIT name no table.
  "",
  // Statements on assignments and mails find rows by the id of the assignment or the mail, or by the due time.
  ...["assignments", "assignments,mails", "assignments,mails,topics", "assignments,topics", "mails"],
  // Statements on webhooks and deliveries find rows by the id of the webhook or the event.
  ...[
    "deliveries",
    "deliveries,delivery_attempts",
    "deliveries,delivery_attempts,webhooks",
    "deliveries,events",
    "webhooks"
  ],
  // These tables are small, or the service deletes their rows by date.
  ...["organizations", "personas", "redeliveries", "removed_webhooks", "stored_responses"]
])

// On a database that is sharded by organization, every statement without an entry in `byOtherKeys` runs on a single
// shard.
it.live(
  "every SQL statement of the workflow contains the organization's id, except statements on the listed tables",
  () =>
    Effect.gen(function* () {
      const { steps } = yield* play(2)
      const statements = Object.values(steps).flatMap(({ turns }) => turns.flat())
      const others = statements.filter((text) => !text.includes("organization_id")).map(tablesOf)
      assert.deepStrictEqual(
        others.filter((tables) => !byOtherKeys.has(tables)),
        []
      )
    }).pipe(Effect.provide(RecordedPostgres.layer))
)
