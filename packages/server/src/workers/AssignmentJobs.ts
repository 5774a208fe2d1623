/**
 * Handles the due assignments of one environment. The poll itself handles deadlines, reminders and steps of simulated
 * creators, because these changes are quick. Each draft of a commentary runs as a separate job.
 */
import { type DraftJob, DraftWorker } from "@partner-commentary/core/commentary/DraftWorker"
import { DueAssignments } from "@partner-commentary/core/operations/DueAssignments"
import type { OrganizationId, ShareId } from "@partner-commentary/core/shared/Ids"
import type { Environment } from "@partner-commentary/core/shared/Owner"
import { toAssignmentWorkKind } from "@partner-commentary/core/shared/WorkSignal"
import type { OrganizationDueAssignments } from "@partner-commentary/core/topic/AssignmentStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as JobRunner from "./JobRunner.ts"
import { WorkerSettings } from "./WorkerSettings.ts"

/** The maximum number of due assignments that one query returns. */
const batch = 500

/** After `step` assignments, the poll queries the database again, so that a long backlog does not delay new work. */
const step = 50

/**
 * The maximum number of assignments in a row that another worker has already handled. After `missesAtMost` handled
 * assignments in a row, a poll that has changed an assignment ends, and any other poll continues at a random position
 * of its list.
 */
const missesAtMost = 3

/**
 * Creates the job runner of an environment. Each environment has its own runner, so that live assignments never wait
 * for test assignments.
 */
export const makeAssignmentJobRunner = Effect.fnUntraced(function* (environment: Environment) {
  const dueAssignments = yield* DueAssignments
  const draftWorker = yield* DraftWorker
  const { drafts } = yield* WorkerSettings

  const claim = Effect.fnUntraced(function* (slots: JobRunner.JobSlots<DraftJob>) {
    /**
     * Handles one due assignment. The step is uninterruptible, so that every claimed draft has a job. When the worker
     * stops, the job releases the draft.
     */
    const wake = (id: ShareId, mayBegin: boolean) =>
      Effect.uninterruptible(
        Effect.tap(dueAssignments.wake(id, mayBegin), ({ begun }) =>
          Effect.sync(() => {
            if (Option.isSome(begun)) slots.start(begun.value)
          })
        )
      )
    const handle = Effect.fnUntraced(function* (mayBegin: boolean) {
      let changed = 0
      let blocked = 0
      let misses = 0
      let left = yield* inTurn(yield* dueAssignments.due(environment, batch, mayBegin))
      while (left.length > 0) {
        const next = takeNext(left, slots)
        const woken = yield* Effect.forEach(next, ({ id, mayBegin }) => wake(id, mayBegin), {
          concurrency: "unbounded"
        })
        woken.forEach(({ woke }, index) => {
          const isBlocked = !woke && next[index]?.mayBegin === false
          if (woke) changed++
          else if (isBlocked) blocked++
          misses = woke || isBlocked ? 0 : misses + 1
        })
        if (changed + blocked >= step) break
        if (misses < missesAtMost) continue
        // Query the due assignments again, because other workers have already handled assignments of the present list.
        // If the poll has changed nothing, continue at a random position of the same list, because repeated queries
        // might never end.
        if (changed > 0) break
        left = yield* fromAnywhere(left)
        misses = 0
      }
      return { changed, blocked }
    })
    const mayBegin = slots.free() > 0
    const { blocked, changed } = yield* handle(mayBegin)
    // Drafts without a free slot may fill the whole list, so a second list contains only the other due steps.
    return mayBegin && blocked > 0 ? changed + (yield* handle(false)).changed : changed
  })

  return yield* JobRunner.make<DraftJob>({
    kind: toAssignmentWorkKind(environment),
    limit: drafts,
    claim,
    run: (job) => Effect.as(draftWorker.run(job), false),
    nextDue: dueAssignments.nextDue(environment),
    owner: ({ assignment }) => assignment.organizationId,
    describe: ({ assignment }) => ({ share_id: assignment.id })
  })
})

interface DueAssignment {
  readonly id: ShareId
  readonly organizationId: OrganizationId
}

/**
 * Removes assignments that can be handled concurrently from the start of the list. Stops before an assignment whose
 * draft might find no free slot, because drafts of earlier assignments may take the slots.
 */
const takeNext = (left: Array<DueAssignment>, { claims, isFreeFor }: JobRunner.JobSlots<DraftJob>) => {
  const next: Array<{ readonly id: ShareId; readonly mayBegin: boolean }> = []
  const pending: Array<OrganizationId> = []
  for (const { id, organizationId } of left.slice(0, claims)) {
    const mayBegin = isFreeFor(organizationId, pending)
    if (!mayBegin && pending.length > 0 && isFreeFor(organizationId)) break
    if (mayBegin) pending.push(organizationId)
    next.push({ id, mayBegin })
  }
  left.splice(0, next.length)
  return next
}

/** Rotates the list to a random position, so that workers with equal lists start at different positions. */
const fromAnywhere = <A>(list: ReadonlyArray<A>) =>
  Effect.map(Random.next, (part) => {
    const first = Math.floor(part * list.length)
    return [...list.slice(first), ...list.slice(0, first)]
  })

/** Orders the due assignments round-robin by organization. */
const inTurn = Effect.fnUntraced(function* (due: ReadonlyArray<OrganizationDueAssignments>) {
  const queues = yield* Effect.forEach(yield* fromAnywhere(due), ({ ids, organizationId }) =>
    Effect.map(fromAnywhere(ids), (list) => list.map((id) => ({ id, organizationId })))
  )
  const longest = queues.reduce((most, { length }) => Math.max(most, length), 0)
  return Array.from({ length: longest }, (_, place) => queues.flatMap((queue) => queue.slice(place, place + 1))).flat()
})
