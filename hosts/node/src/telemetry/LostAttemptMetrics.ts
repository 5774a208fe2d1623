/**
 * Counts the last attempts at drafts and media that had no result when their lease ended. The process that made such an
 * attempt ended before it could count the attempt.
 */
import { areMediaAttemptsExhausted } from "@partner-commentary/core/commentary/MediaJob"
import { MediaJobStore } from "@partner-commentary/core/commentary/MediaJobStore"
import { DueAssignments } from "@partner-commentary/core/operations/DueAssignments"
import type { Policy } from "@partner-commentary/core/shared/Policy"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metrics from "./Metrics.ts"

/** Wraps the due steps of assignments, and counts a draft when its last attempt is found to be lost. */
export const draftsLayer = Layer.effect(
  DueAssignments,
  Effect.map(DueAssignments, (dueAssignments) =>
    DueAssignments.of({
      ...dueAssignments,
      wake: (id, mayBegin) =>
        Effect.tap(dueAssignments.wake(id, mayBegin), ({ lostLastAttempt }) =>
          lostLastAttempt ? Metrics.countLostCall("drafts") : Effect.void
        )
    })
  )
)

/** Wraps the store of media jobs, and counts a job whose last attempt was lost when the store records the failure. */
export const mediaLayer = (policy: Policy) =>
  Layer.effect(
    MediaJobStore,
    Effect.map(MediaJobStore, (store) =>
      MediaJobStore.of({
        ...store,
        settle: (job, outcome, at) =>
          Effect.tap(store.settle(job, outcome, at), () =>
            outcome.state === "failed" && areMediaAttemptsExhausted(job, policy)
              ? Metrics.countLostCall("media")
              : Effect.void
          )
      })
    )
  )
