/**
 * Tests the order in which workers process due work. Live work never waits for test work, and organizations take turns.
 */
import { assert, it } from "@effect/vitest"
import { CommentaryGenerator } from "@partner-commentary/core/commentary/CommentaryGenerator"
import { DueAssignments } from "@partner-commentary/core/operations/DueAssignments"
import { ShareId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { WorkSignal } from "@partner-commentary/core/shared/WorkSignal"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { respond } from "@partner-commentary/core/topic/Workflow"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../support/Eventually.ts"

const idleWith = (generator: Layer.Layer<CommentaryGenerator>) =>
  Layer.provideMerge(TestApi.layerMemory, Application.layer({ outside: Layer.merge(Mailbox.layer, generator) }))

const idle = idleWith(ScriptedGenerator.layer)

/** Creates `count` assignments of a new organization, none of which is due. */
const sent = Effect.fnUntraced(function* (
  count: number,
  { content = "Who is number", environment = "live" as "live" | "test" } = {}
) {
  const { call } = yield* TestApi
  const owner = yield* Seed.createOrganization()
  const persona = yield* Seed.createPersona(owner)
  const { text: key } = yield* Seed.issueApiKey(owner, { environment })
  for (let made = 0; made < count; made += 100) {
    const topics = Array.from({ length: Math.min(100, count - made) }, (_, index) => ({
      content: `${content} ${made + index}?`,
      persona_ids: [persona.id]
    }))
    yield* call("/partner/v1/topics/bulk", { method: "POST", key, body: { topics } })
  }
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: string }>`SELECT id FROM assignments WHERE organization_id = ${owner.id} ORDER BY id`
  assert.lengthOf(rows, count)
  return rows.map(({ id }) => ShareId.make(id))
})

const answer = Effect.fnUntraced(function* (id: ShareId) {
  const now = yield* Instant.now
  const { modify } = yield* AssignmentStore
  yield* Effect.orDie(modify(id, (present) => respond(present, { perspective: "They will win." }, now)))
  yield* (yield* WorkSignal).tell(["assignments"])
})

/**
 * Starts the workers, and returns a list to which each processed assignment is added. When `at` assignments have been
 * processed, `happens` runs.
 */
const startWorkers = Effect.fnUntraced(function* (meanwhile: {
  readonly at: number
  readonly happens: (ids: ReadonlyArray<ShareId>) => Effect.Effect<unknown>
}) {
  const dueAssignments = yield* DueAssignments
  const ids: Array<ShareId> = []
  const counted = DueAssignments.of({
    ...dueAssignments,
    wake: (id, mayBegin) =>
      Effect.tap(dueAssignments.wake(id, mayBegin), () => {
        ids.push(id)
        return ids.length === meanwhile.at ? meanwhile.happens(ids) : Effect.void
      })
  })
  yield* Layer.build(Layer.fresh(Layer.provide(TestApi.workers, Layer.succeed(DueAssignments, counted))))
  return ids
})

const begin = TestClock.setTime(Date.parse("2026-03-01T09:00:00.000Z"))

const overdue = (ids: ReadonlyArray<ShareId>, at: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const id of ids) yield* sql`UPDATE assignments SET due_at = ${at}, respond_by = ${at} WHERE id = ${id}`
  })

/**
 * Waits until the assignment `id` is processed. Ignores the first `since` processed assignments, and returns how many
 * of the following assignments were processed before the assignment `id`.
 */
const waitedFor = (ids: ReadonlyArray<ShareId>, id: ShareId, since = 0) =>
  eventually(
    "it is woken",
    Effect.sync(() => ids.includes(id, since) && Option.some(ids.indexOf(id, since) - since))
  ).pipe(Effect.map(Option.getOrThrow))

it.effect("due live work does not wait for test work, even if much test work is due", () =>
  Effect.gen(function* () {
    yield* begin
    const tests = yield* sent(300, { environment: "test" })
    const [live] = yield* sent(1)
    if (live === undefined) return assert.fail("nothing was sent")
    yield* TestClock.adjust("1 hour")
    const context = yield* Effect.context<AssignmentStore | WorkSignal>()
    /** Makes the live assignment due, and delays one running job until the worker has processed the live assignment. */
    const happens = (ids: ReadonlyArray<ShareId>) =>
      Effect.andThen(Effect.provide(answer(live), context), waitedFor(ids, live))
    // The number of assignments that one poll processes concurrently.
    const claims = 16
    const ids = yield* startWorkers({ at: claims, happens })
    assert.strictEqual(yield* waitedFor(ids, live, claims), 0)
    for (let seen = 0; seen <= tests.length; ) {
      seen = yield* eventually(
        "the tests go on",
        Effect.sync(() => new Set(ids).size > seen && new Set(ids).size)
      )
    }
  }).pipe(Effect.scoped, Effect.provide(idle))
)

it.effect(
  "an organization's due assignment is processed first or second, even if another organization has a longer overdue backlog",
  () =>
    Effect.gen(function* () {
      yield* begin
      const much = yield* sent(600)
      const [one] = yield* sent(1)
      if (one === undefined) return assert.fail("nothing was sent")
      yield* overdue(much, "2026-03-01T07:00:00.000Z")
      yield* overdue([one], "2026-03-01T08:00:00.000Z")
      const ids = yield* startWorkers({ at: 0, happens: () => Effect.void })
      assert.isBelow(yield* waitedFor(ids, one), 2)
    }).pipe(Effect.scoped, Effect.provide(idle))
)

it.effect(
  "an assignment that becomes due during another organization's backlog is among the next 50 processed assignments",
  () =>
    Effect.gen(function* () {
      yield* begin
      const much = yield* sent(300)
      const [one] = yield* sent(1)
      if (one === undefined) return assert.fail("nothing was sent")
      yield* overdue(much, "2026-03-01T08:00:00.000Z")
      const context = yield* Effect.context<AssignmentStore | WorkSignal>()
      const ids = yield* startWorkers({ at: 10, happens: () => Effect.provide(answer(one), context) })
      assert.isBelow(yield* waitedFor(ids, one, 10), 50)
    }).pipe(Effect.scoped, Effect.provide(idle))
)

/** Drafts of topics whose content starts with "Slow" never complete. */
const begun = { slow: 0 }
const stuck = Layer.succeed(
  CommentaryGenerator,
  CommentaryGenerator.of({
    generate: ({ perspective, topic }) => {
      if (!topic.startsWith("Slow")) return Effect.succeed(`${perspective} For good.`)
      begun.slow++
      return Effect.never
    }
  })
)

it.effect(
  "drafts that never complete use at most half of the slots, and other organizations' drafts are still generated",
  () =>
    Effect.gen(function* () {
      begun.slow = 0
      yield* begin
      const slow = yield* sent(40, { content: "Slow, slower" })
      const quick = [...(yield* sent(3)), ...(yield* sent(3))]
      yield* Effect.forEach(slow, answer)
      yield* Layer.build(TestApi.workers)
      yield* eventually(
        "all that may begin",
        Effect.sync(() => begun.slow >= 8)
      )
      yield* Effect.forEach(quick, answer)
      const assignments = yield* AssignmentStore
      for (const id of quick) {
        yield* eventually(
          "a draft",
          Effect.map(assignments.find(id), (found) => Option.getOrThrow(found).assignment.draft !== null)
        )
      }
      assert.strictEqual(begun.slow, 8)
    }).pipe(Effect.scoped, Effect.provide(idleWith(stuck)))
)

it.effect("a request expires on time while 520 drafts of the same organization wait for a free slot", () =>
  Effect.gen(function* () {
    yield* begin
    const sql = yield* SqlClient.SqlClient
    const assignments = yield* AssignmentStore
    const [unanswered, ...answered] = yield* sent(521, { content: "Slow, slower" })
    if (unanswered === undefined) return assert.fail("nothing was sent")
    yield* sql`UPDATE assignments SET status = 'opinion_injected', perspective = 'They will win.',
      due_at = '2026-03-01T07:00:00.000Z', generation_next_at = '2026-03-01T07:00:00.000Z' WHERE ${sql.in("id", answered)}`
    yield* overdue([unanswered], "2026-03-01T08:00:00.000Z")
    yield* Layer.build(TestApi.workers)
    yield* eventually(
      "the request expires",
      Effect.map(assignments.find(unanswered), (found) => Option.getOrThrow(found).assignment.status === "expired")
    )
  }).pipe(Effect.scoped, Effect.provide(idleWith(stuck)))
)
