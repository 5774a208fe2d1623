/**
 * Tests the combined guarantees of the stores. The counts and status of a topic, the totals and the usage always equal
 * a full count of the assignments.
 */
import { assert, describe, it as vitest } from "@effect/vitest"
import {
  addMetrics,
  addTimeline,
  makeEmptyMetrics,
  summarizeMetrics
} from "@partner-commentary/core/performance/Metrics"
import { PerformanceStore } from "@partner-commentary/core/performance/PerformanceStore"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import { type Assignment, isAssignmentSettled } from "@partner-commentary/core/topic/Assignment"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import {
  deriveTopicStatus,
  emptyTopicCounts,
  isAbandonedAssignment,
  isCancelledAssignment,
  type TopicCounts,
  TopicStatus
} from "@partner-commentary/core/topic/TopicStatus"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import * as Workflow from "@partner-commentary/core/topic/Workflow"
import { UsageStore } from "@partner-commentary/core/usage/UsageStore"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import * as Creator from "../support/Creator.ts"
import { day, makePersonas, makeShareId, makeSubmission, makeOwner as ownerOf, start } from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

type Stores = TopicStore | AssignmentStore | UsageStore | PerformanceStore

export const suite = <E>(name: string, layer: Layer.Layer<Stores, E>): void => {
  describe(`${name}: TopicStore, counts`, () => {
    const it = makeGuaranteeTest(layer)

    it("a topic's status changes with its assignments from pending to in progress, partial and completed", () =>
      Effect.gen(function* () {
        const { first, owner, second, status } = yield* twoSent()
        assert.deepStrictEqual(yield* status, "pending")
        yield* Creator.submitPerspective(first)
        assert.deepStrictEqual(yield* status, "in_progress")
        yield* Creator.runDueStep(first)
        yield* Creator.completeDraft(first)
        assert.deepStrictEqual(yield* status, "in_progress")
        yield* Creator.approve(first)
        assert.deepStrictEqual(yield* status, "partial")
        yield* Creator.decline(second)
        assert.deepStrictEqual(yield* status, "completed")
        assert.deepStrictEqual(yield* totals(owner), { pending: 0, in_progress: 0, partial: 0, completed: 1 })
      }))

    it("a returned quota unit goes to the month of its topic, and a first draft counts in the month of the draft", () =>
      Effect.gen(function* () {
        const usage = yield* UsageStore
        const { first, owner, second } = yield* twoSent()
        const of = (month: string) => usage.ofMonth(owner, month)
        yield* Creator.submitPerspective(first)
        yield* TestClock.setTime(start + 3 * day)
        yield* Creator.runDueStep(first)
        yield* Creator.completeDraft(first)
        assert.deepStrictEqual(yield* of("2026-01"), {
          topics: 1,
          commentaryUnits: 2,
          commentariesGenerated: 0,
          apiCalls: 0
        })
        assert.deepStrictEqual(yield* of("2026-02"), {
          topics: 0,
          commentaryUnits: 0,
          commentariesGenerated: 1,
          apiCalls: 0
        })
        yield* Creator.revise(first)
        yield* Creator.runDueStep(first)
        yield* Creator.completeDraft(first)
        yield* Creator.withdraw(first)
        yield* Creator.withdraw(first)
        yield* Creator.runDueStep(second)
        assert.deepStrictEqual(yield* of("2026-01"), {
          topics: 1,
          commentaryUnits: 0,
          commentariesGenerated: 0,
          apiCalls: 0
        })
        assert.deepStrictEqual(yield* of("2026-02"), {
          topics: 0,
          commentaryUnits: 0,
          commentariesGenerated: 1,
          apiCalls: 0
        })
      }))

    it("a cancelled assignment has the failure reason cancelled, and the topic's status then depends on the answered assignments", () =>
      Effect.gen(function* () {
        const topics = yield* TopicStore
        const { first, owner, second, status } = yield* twoSent()
        yield* Creator.submitPerspective(first)
        const { failure, status: stays } = yield* Creator.cancel(second)
        assert.deepStrictEqual([failure?.reason, stays], ["cancelled", "topic_sent"])
        assert.strictEqual(yield* status, "in_progress")
        const [topic] = (yield* topics.list({ owner, status: null, limit: 1, from: { offset: 0 } })).items
        const progress = topic && Option.getOrThrow(yield* topics.progress(owner, topic.id))
        assert.deepInclude(progress?.assignments[1], { failureReason: "cancelled", expiresAt: null })
        yield* agree(owner)
      }))

    it("the usage of the test environment is separate from the usage of the live environment", () =>
      Effect.gen(function* () {
        const usage = yield* UsageStore
        const { first, owner, second } = yield* twoSent("test")
        yield* Creator.respondAndDraft(first)
        yield* Creator.decline(second)
        const month = yield* usage.ofMonth(owner, "2026-01")
        assert.deepStrictEqual(month, { topics: 1, commentaryUnits: 1, commentariesGenerated: 1, apiCalls: 0 })
        const live = yield* usage.ofMonth({ ...owner, environment: "live" }, "2026-01")
        assert.deepStrictEqual(live, { topics: 0, commentaryUnits: 0, commentariesGenerated: 0, apiCalls: 0 })
        assert.deepStrictEqual(yield* totals(owner), { pending: 0, in_progress: 1, partial: 0, completed: 0 })
      }))

    it("if 100 assignments of one topic settle concurrently, the topic is completed with exact counts", () =>
      Effect.gen(function* () {
        const topics = yield* TopicStore
        const given = makeSubmission({ personas: makePersonas(100) })
        const { sent } = yield* topics.submit(given)
        const settle = (id: (typeof sent)[number], index: number) =>
          index % 2 === 0
            ? Effect.asVoid(Creator.decline(id))
            : Effect.asVoid(Effect.andThen(Creator.respondAndDraft(id), Creator.approve(id)))
        yield* Effect.forEach(sent, settle, { concurrency: "unbounded" })
        const { topic } = Option.getOrThrow(yield* topics.find(given.topic, given.topic.id))
        assert.strictEqual(topic.status, "completed")
        assert.deepStrictEqual(topic.counts, { ...emptyTopicCounts, creator_approved: 50, declined: 50 })
        yield* agree(given.topic)
      }))

    it("concurrent changes of one assignment run one after another, and each uses the result of the previous change", () =>
      Effect.gen(function* () {
        const { first, owner, second, status } = yield* twoSent()
        // On Postgres, the first of the five changes runs in one transaction, and the other four changes share the next
        // transaction.
        const changes = [
          Creator.decline(second),
          respond(first),
          approve(first),
          Creator.runDueStep(first),
          draft(first)
        ]
        const exits = yield* Effect.forEach(
          changes,
          (change) => Effect.exit(Effect.asVoid<unknown, unknown, AssignmentStore>(change)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, true, false, true, true])
        const store = yield* AssignmentStore
        const { assignment } = Option.getOrThrow(yield* store.find(first))
        assert.strictEqual(assignment.status, "commentary_generated")
        assert.strictEqual(yield* status, "in_progress")
        yield* agree(owner)
      }))

    it("several assignments of a topic change in one transaction, and ids without an assignment are ignored", () =>
      Effect.gen(function* () {
        const store = yield* AssignmentStore
        const { first, owner, second } = yield* twoSent()
        const decide = (present: Assignment) => Workflow.cancel(present, { by: "key k" }, start)
        const failing = store.modifyAll([first, second], (present) =>
          present.id === second ? assert.fail("undecided") : decide(present)
        )
        assert.isTrue(Exit.isFailure(yield* Effect.exit(failing)))
        assert.deepStrictEqual(yield* store.modifyAll([], decide), [])
        yield* agree(owner)
        const modified = yield* store.modifyAll([second, makeShareId(), first], decide)
        assert.deepStrictEqual(
          modified.map(({ after, before }) => [after.id, before.failure, after.failure?.reason]),
          [second, first].map((id) => [id, null, "cancelled" as const])
        )
        assert.deepStrictEqual(yield* totals(owner), { pending: 0, in_progress: 0, partial: 0, completed: 1 })
        yield* agree(owner)
      }))

    vitest.effect.prop(
      "after any sequence of steps, counts, totals, usage and daily metrics equal a full recount",
      [Schema.Array(Step).check(Schema.isMaxLength(40))],
      ([taken]) => Effect.provide(takeSteps(taken, 1), Layer.fresh(layer)),
      { arbitrary: { runs: 30, size: 60 } }
    )

    vitest.effect.prop(
      "after any concurrent steps, counts, totals, usage and daily metrics equal a full recount",
      [Schema.Array(Step).check(Schema.isMaxLength(40))],
      ([taken]) => Effect.provide(takeSteps(taken, "unbounded"), Layer.fresh(layer)),
      { arbitrary: { runs: 30, size: 60 } }
    )
  })
}

const {
  approve,
  cancel,
  decline,
  completeDraft: draft,
  failAttempt,
  changeCreatorName: rename,
  submitPerspective: respond,
  revise,
  runDueStep: wakeUp,
  withdraw
} = Creator
const steps = { respond, decline, wakeUp, draft, revise, failAttempt, withdraw, approve, rename, cancel }

const Step = Schema.Struct({
  which: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 })),
  what: Schema.Literals([
    "respond",
    "decline",
    "wakeUp",
    "draft",
    "revise",
    "failAttempt",
    "withdraw",
    "approve",
    "rename",
    "cancel",
    "sleep"
  ])
})

/** Creates three topics of one organization, and takes allowed and rejected steps on their assignments. */
const takeSteps = Effect.fnUntraced(function* (taken: ReadonlyArray<typeof Step.Type>, concurrency: 1 | "unbounded") {
  const topics = yield* TopicStore
  const owner = ownerOf()
  const ids: Array<Effect.Success<ReturnType<typeof topics.submit>>["sent"][number]> = []
  yield* TestClock.setTime(start)
  for (const count of [1, 2, 2]) {
    const { sent } = yield* topics.submit(
      makeSubmission({ personas: makePersonas(count), topic: { organizationId: owner.organizationId } })
    )
    ids.push(...sent)
  }
  const take = ({ what, which }: typeof Step.Type) => {
    const id = ids[which]
    if (id === undefined) return Effect.void
    return what === "sleep"
      ? TestClock.adjust("30 hours")
      : Effect.ignore(Effect.asVoid<unknown, unknown, AssignmentStore>(steps[what](id)))
  }
  yield* Effect.forEach(taken, take, { concurrency, discard: true })
  yield* agree(owner)
  yield* metricsAgree(owner)
})

/** Compares the daily metrics with metrics that are computed from the single assignments. */
const metricsAgree = Effect.fnUntraced(function* (owner: Owner) {
  const performance = yield* PerformanceStore
  const days = yield* performance.days(owner, start - day, null)
  const { timelines } = yield* performance.page(owner, { start: start - day, end: start + day }, null, 100)
  const metrics = makeEmptyMetrics()
  for (const timeline of timelines) addTimeline(metrics, timeline)
  assert.strictEqual(metrics.counts.sent, 5)
  const daily = makeEmptyMetrics()
  for (const persona of days) addMetrics(daily, persona.metrics)
  assert.deepStrictEqual(summarizeMetrics(daily), summarizeMetrics(metrics))
})

const twoSent = Effect.fnUntraced(function* (environment: "live" | "test" = "live") {
  const topics = yield* TopicStore
  const given = makeSubmission({ personas: makePersonas(2), topic: { environment } })
  const { sent } = yield* topics.submit(given)
  const [first, second] = sent
  if (first === undefined || second === undefined) return yield* Effect.die("nothing was sent")
  const status = Effect.map(topics.progress(given.topic, given.topic.id), (found) => Option.getOrThrow(found).status)
  return { first, owner: given.topic, second, status }
})

const totals = Effect.fnUntraced(function* ({ environment, organizationId }: Owner) {
  const topics = yield* TopicStore
  const list = (status: TopicStatus | null) =>
    topics.list({ owner: { environment, organizationId }, status, limit: 100, from: { offset: 0 } })
  const counted: Record<string, number> = {}
  let sum = 0
  for (const status of TopicStatus.literals) {
    const page = yield* list(status)
    assert.strictEqual(page.total, page.items.length)
    counted[status] = page.total
    sum += page.total
  }
  assert.strictEqual((yield* list(null)).total, sum)
  return counted
})

/** Compares the stored counters with a full count of the assignments. */
const agree = Effect.fnUntraced(function* (owner: Owner) {
  const topics = yield* TopicStore
  const store = yield* AssignmentStore
  const usage = yield* UsageStore
  yield* totals(owner)
  const { items } = yield* topics.list({ owner, status: null, limit: 100, from: { offset: 0 } })
  let units = 0
  let generated = 0
  for (const kept of items) {
    const { assignments, topic } = Option.getOrThrow(yield* topics.find(owner, kept.id))
    const counts: { -readonly [K in keyof TopicCounts]: number } = { ...emptyTopicCounts }
    for (const { id, ...outcome } of assignments) {
      counts[outcome.status] += 1
      counts.abandoned += isAbandonedAssignment(outcome) ? 1 : 0
      counts.cancelled += isCancelledAssignment(outcome) ? 1 : 0
      const { assignment } = Option.getOrThrow(yield* store.find(id))
      units += outcome.failure === null ? 1 : 0
      generated += assignment.draft === null ? 0 : 1
      assert.strictEqual(assignment.dueAt === null, isAssignmentSettled(assignment))
    }
    assert.deepStrictEqual(topic.counts, counts)
    assert.strictEqual(kept.approvedAssignments, counts.creator_approved)
    assert.strictEqual(kept.totalAssignments, assignments.length)
    assert.strictEqual(kept.status, deriveTopicStatus(counts))
  }
  const months = yield* Effect.forEach(["2026-01", "2026-02", "2026-03", "2026-04"], (month) =>
    usage.ofMonth(owner, month)
  )
  const sum = (of: (month: (typeof months)[number]) => number) => months.reduce((total, month) => total + of(month), 0)
  assert.strictEqual(
    sum(({ topics }) => topics),
    items.length
  )
  assert.strictEqual(
    sum(({ commentaryUnits }) => commentaryUnits),
    units
  )
  assert.strictEqual(
    sum(({ commentariesGenerated }) => commentariesGenerated),
    generated
  )
})
