/**
 * Tests polls for due assignments: concurrent claims, fair shares of the slots, and an interruption before a job
 * starts.
 */
import { assert, it } from "@effect/vitest"
import { type DraftJob, DraftWorker } from "@partner-commentary/core/commentary/DraftWorker"
import { DueAssignments } from "@partner-commentary/core/operations/DueAssignments"
import { OrganizationId, ShareId } from "@partner-commentary/core/shared/Ids"
import { WorkSignal } from "@partner-commentary/core/shared/WorkSignal"
import { makeAssignmentJobRunner } from "@partner-commentary/server/workers/AssignmentJobs"
import { WorkerSettings } from "@partner-commentary/server/workers/WorkerSettings"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { assignmentWithPerspective, topic } from "../creator-portal/Samples.ts"

const organizationId = OrganizationId.make("019c0e1b-7c4e-7000-8000-2f6d1c9e4b10")
const otherOrganizationId = OrganizationId.make("019c0e1b-7c4e-7000-8000-2f6d1c9e4b11")
const shareId = (number: number) => ShareId.make(`019c0e1b-7c4e-7000-8000-0000000000${number + 10}`)
const ids = [1, 2].map(shareId)

const settingsFor = (drafts: number) => ({ ...WorkerSettings.defaultValue(), drafts })

/** Runs the fibers until all of them wait. */
const settle = Effect.repeat(Effect.yieldNow, { times: 20 })

/**
 * Interrupts the poll of a job runner that has only one slot. The first claim is already committed when the test
 * interrupts the poll.
 */
const interrupted = Effect.gen(function* () {
  const committed = yield* Deferred.make<void>()
  const answered = yield* Deferred.make<void>()
  const claimed: Array<ShareId> = []
  const ran: Array<DraftJob> = []
  const due = () => ids.filter((id) => !claimed.includes(id))
  const assignments = DueAssignments.of({
    due: () => Effect.sync(() => [{ organizationId, ids: due() }]),
    nextDue: () => Effect.succeedNone,
    wake: (id, mayBegin) =>
      Effect.gen(function* () {
        if (!mayBegin || claimed.includes(id)) return { woke: false, begun: Option.none(), lostLastAttempt: false }
        claimed.push(id)
        yield* Deferred.succeed(committed, undefined)
        yield* Deferred.await(answered)
        const assignment = { ...assignmentWithPerspective, id }
        return { woke: true, begun: Option.some({ assignment, topic }), lostLastAttempt: false }
      })
  })
  const runner = yield* makeAssignmentJobRunner("live").pipe(
    Effect.provideService(DueAssignments, assignments),
    Effect.provideService(DraftWorker, DraftWorker.of({ run: (job) => Effect.sync(() => void ran.push(job)) })),
    Effect.provideService(WorkerSettings, settingsFor(1))
  )
  const poll = yield* Effect.forkChild(runner.poll, { startImmediately: true })
  yield* Deferred.await(committed)
  const ended = yield* Effect.forkChild(Fiber.interrupt(poll), { startImmediately: true })
  yield* settle
  yield* Deferred.succeed(answered, undefined)
  yield* Fiber.join(ended)
  yield* settle
  return { claimed, ran, runner }
})

it.effect("a draft that was claimed when its poll was interrupted still gets a job", () =>
  Effect.gen(function* () {
    const { claimed, ran } = yield* interrupted
    assert.lengthOf(claimed, 1)
    assert.deepStrictEqual(
      ran.map(({ assignment }) => assignment.id),
      claimed
    )
  }).pipe(Effect.scoped, Effect.provide(WorkSignal.layerProcess))
)

it.effect("after an interrupted poll, the slot of the claimed draft is free again when the draft's job has ended", () =>
  Effect.gen(function* () {
    const { claimed, ran, runner } = yield* interrupted
    assert.strictEqual(yield* runner.inFlight, 0)
    yield* runner.poll
    yield* settle
    assert.lengthOf(claimed, 2)
    assert.lengthOf(ran, 2)
    assert.strictEqual(yield* runner.inFlight, 0)
  }).pipe(Effect.scoped, Effect.provide(WorkSignal.layerProcess))
)

/**
 * Starts drafts that never end. Returns the due assignments that may start a draft, and the maximum number of
 * concurrent steps.
 */
const pollForDrafts = Effect.fnUntraced(function* (
  drafts: number,
  queues: ReadonlyArray<{ readonly organizationId: OrganizationId; readonly ids: ReadonlyArray<ShareId> }>
) {
  const woken: Array<{ readonly id: ShareId; readonly mayBegin: boolean }> = []
  const counts = { running: 0, most: 0 }
  const assignments = DueAssignments.of({
    due: () => Effect.succeed(queues),
    nextDue: () => Effect.succeedNone,
    wake: (id, mayBegin) =>
      Effect.gen(function* () {
        counts.most = Math.max(counts.most, ++counts.running)
        yield* Effect.yieldNow
        counts.running--
        woken.push({ id, mayBegin })
        const owner = queues.find((queue) => queue.ids.includes(id))?.organizationId ?? organizationId
        const assignment = { ...assignmentWithPerspective, id, organizationId: owner }
        const begun = mayBegin ? Option.some({ assignment, topic }) : Option.none()
        return { woke: mayBegin, begun, lostLastAttempt: false }
      })
  })
  const runner = yield* makeAssignmentJobRunner("live").pipe(
    Effect.provideService(DueAssignments, assignments),
    Effect.provideService(DraftWorker, DraftWorker.of({ run: () => Effect.never })),
    Effect.provideService(WorkerSettings, settingsFor(drafts))
  )
  yield* runner.poll
  return { begun: woken.filter(({ mayBegin }) => mayBegin).map(({ id }) => id), most: counts.most }
})

it.effect("the steps of due assignments run concurrently", () =>
  Effect.gen(function* () {
    const { begun, most } = yield* pollForDrafts(32, [{ organizationId, ids: [1, 2, 3, 4, 5].map(shareId) }])
    assert.lengthOf(begun, 5)
    assert.strictEqual(most, 5)
  }).pipe(Effect.scoped, Effect.provide(WorkSignal.layerProcess))
)

it.effect("concurrent claims keep every organization within its share of the slots", () =>
  Effect.gen(function* () {
    const alone = yield* pollForDrafts(8, [{ organizationId, ids: [1, 2, 3, 4, 5, 6, 7].map(shareId) }])
    assert.lengthOf(alone.begun, 4)
    const others = [21, 22, 23, 24, 25].map(shareId)
    const both = yield* pollForDrafts(8, [
      { organizationId, ids: [1, 2, 3, 4, 5].map(shareId) },
      { organizationId: otherOrganizationId, ids: others }
    ])
    assert.isAtLeast(both.begun.filter((id) => others.includes(id)).length, 2)
    assert.isAtMost(both.begun.length, 6)
  }).pipe(Effect.scoped, Effect.provide(WorkSignal.layerProcess))
)
