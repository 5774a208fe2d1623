/** Operators resend mails to creators, change addresses, restart generation and erase personal data. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { makeAssignmentMailId, resendIdSeparator } from "../mail/Mail.ts"
import { MailStore } from "../mail/MailStore.ts"
import { PersonaRegistry } from "../persona/PersonaRegistry.ts"
import { AuditLog } from "../shared/AuditLog.ts"
import type { ShareId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import { WorkSignal } from "../shared/WorkSignal.ts"
import { type Assignment, isAssignmentSettled } from "../topic/Assignment.ts"
import { AssignmentNotFound } from "../topic/AssignmentNotFound.ts"
import { AssignmentStore } from "../topic/AssignmentStore.ts"
import {
  ActionRefused,
  type CreatorNoticeKind,
  failAssignment,
  isGenerationStalled,
  makeChange,
  makeNoticeOccasion,
  moveToStatus,
  retryGenerationNow
} from "../topic/Workflow.ts"

export class CreatorAdministration extends Context.Service<
  CreatorAdministration,
  {
    /**
     * Restarts generation after the last attempt has failed. If a retry is already scheduled, makes the retry due now.
     */
    readonly retryGeneration: (id: ShareId) => Effect.Effect<Assignment, AssignmentNotFound | ActionRefused>
    /** Resends the mail about the creator's next step in this assignment. */
    readonly resendMail: (id: ShareId) => Effect.Effect<CreatorNoticeKind, AssignmentNotFound | ActionRefused>
    /**
     * Requeues all mails that have permanently failed since the time `since`. Returns the number of queued mails. The
     * mail worker does not send obsolete mails.
     */
    readonly resendFailed: (since: Instant.Instant) => Effect.Effect<number>
    /**
     * Changes the creator's address in personas and assignments. The links in mails to the old address stop working.
     * The creator gets new mails about open requests.
     */
    readonly changeEmail: (
      from: string,
      to: string
    ) => Effect.Effect<{ readonly personas: number; readonly assignments: number }>
    /**
     * Erases the creator's personal data. Open assignments are closed. The creator's names and texts are deleted, but
     * approved commentaries stay.
     */
    readonly erase: (email: string) => Effect.Effect<{ readonly personas: number; readonly assignments: number }>
  }
>()("@partner-commentary/core/creator/CreatorAdministration") {
  static readonly layer = Layer.effect(
    CreatorAdministration,
    Effect.gen(function* () {
      const store = yield* AssignmentStore
      const personas = yield* PersonaRegistry
      const mails = yield* MailStore
      const audit = yield* AuditLog
      const signal = yield* WorkSignal

      const find = Effect.fnUntraced(function* (id: ShareId) {
        const found = yield* store.find(id)
        return Option.isNone(found) ? yield* new AssignmentNotFound() : found.value.assignment
      })

      const mailAgain = Effect.fnUntraced(function* (id: ShareId, options?: { readonly unclaimedOnly: boolean }) {
        const assignment = yield* find(id)
        const kind = assignment.environment === "live" ? findPendingNoticeKind(assignment) : null
        if (kind === null) {
          const reason = isAssignmentSettled(assignment) ? "settled" : "not_allowed"
          return yield* new ActionRefused({ reason, status: assignment.status })
        }
        const now = yield* Instant.now
        const occasion = makeNoticeOccasion(kind, assignment)
        // If the mail is still queued, make the queued mail due now, so that the creator does not get two mails.
        if (yield* mails.retryNow(makeAssignmentMailId(id, occasion), now, options)) {
          yield* signal.notify
          return kind
        }
        yield* mails.queue({
          id: makeAssignmentMailId(id, `${occasion}${resendIdSeparator}${now}`),
          kind,
          shareId: id,
          organizationId: assignment.organizationId,
          address: null,
          createdAt: now
        })
        yield* signal.notify
        return kind
      })

      return CreatorAdministration.of({
        resendMail: Effect.fn("Creators.resendMail")((id) => mailAgain(id)),

        resendFailed: Effect.fn("Creators.resendFailed")(function* (since) {
          const now = yield* Instant.now
          let resent = 0
          // Requeue only mails that have failed until now, because mails that fail again later would otherwise keep the
          // loop running.
          for (let last = resendBatch; last === resendBatch; ) {
            last = yield* mails.requeueFailed(since, now + 1, now, resendBatch)
            resent += last
            if (last > 0) yield* signal.notify
          }
          return resent
        }),

        retryGeneration: Effect.fn("Creators.retryGeneration")(function* (id) {
          const now = yield* Instant.now
          const modified = yield* store.modify(id, (present) => retryGenerationNow(present, now))
          if (Option.isNone(modified)) return yield* new AssignmentNotFound()
          yield* signal.notify
          return modified.value.after
        }),

        changeEmail: Effect.fn("Creators.changeEmail")(function* (from, to) {
          const own = yield* personas.byCreator(from)
          yield* Effect.forEach(own, ({ id }) =>
            personas.update(id, (present) => ({ ...present, creator: { ...present.creator, email: to } }))
          )
          // Include settled assignments, because creators can still read them through their links.
          const all = yield* store.allOf(from)
          for (const id of all) {
            yield* store.modify(id, (present) =>
              Result.succeed(makeChange({ ...present, creator: { ...present.creator, email: to } }))
            )
            yield* Effect.ignore(mailAgain(id, { unclaimedOnly: true }))
          }
          yield* audit.record({
            action: "creator.email_changed",
            subject: own.map(({ id }) => id).join(" "),
            organizationId: null,
            details: { by: "operator", personas: own.length, assignments: all.length }
          })
          return { personas: own.length, assignments: all.length }
        }),

        erase: Effect.fn("Creators.erase")(function* (email) {
          const now = yield* Instant.now
          const own = yield* personas.byCreator(email)
          yield* Effect.forEach(own, ({ id }) =>
            personas.update(id, (present) => ({ ...present, creator: { name: "", email: "" } }))
          )
          const all = yield* store.allOf(email)
          for (const id of all) {
            const modified = yield* store.modify(id, (present) =>
              Result.succeed(makeChange(eraseCreatorText(present, now)))
            )
            if (Option.isSome(modified)) yield* signal.tell(modified.value.work)
            yield* store.forgetDrafts(id)
            yield* mails.forgetReasons(id)
          }
          yield* mails.forget(email)
          yield* audit.record({
            action: "creator.erased",
            subject: own.map(({ id }) => id).join(" "),
            organizationId: null,
            details: { by: "operator", personas: own.length, assignments: all.length }
          })
          return { personas: own.length, assignments: all.length }
        })
      })
    })
  )
}

/** Maximum number of mails that one transaction queues again. */
const resendBatch = 500

/** Returns the kind of mail that asks the creator for the next step; null if the creator has no next step. */
const findPendingNoticeKind = (assignment: Assignment): CreatorNoticeKind | null => {
  if (isAssignmentSettled(assignment)) return null
  if (assignment.status === "topic_sent") return "request"
  if (isGenerationStalled(assignment) && assignment.draft === null) return "stalled"
  return assignment.draft === null ? null : "draft"
}

const eraseCreatorText = (present: Assignment, now: Instant.Instant): Assignment => {
  const closed = isAssignmentSettled(present)
    ? present
    : present.status === "topic_sent"
      ? failAssignment(moveToStatus(present, "decline", now), "declined", now)
      : failAssignment(present, "withdrawn", now)
  // The object lists all fields, so that a new field does not compile until this function copies or clears the field.
  return {
    id: closed.id,
    topicId: closed.topicId,
    organizationId: closed.organizationId,
    environment: closed.environment,
    position: closed.position,
    persona: closed.persona,
    creator: { name: "", email: "" },
    createdAt: closed.createdAt,
    status: closed.status,
    statusUpdatedAt: closed.statusUpdatedAt,
    notifiedAt: closed.notifiedAt,
    respondBy: closed.respondBy,
    isDeadlineFixed: closed.isDeadlineFixed,
    perspective: null,
    respondedAt: closed.respondedAt,
    declineReason: null,
    generation: { ...closed.generation, revision: null },
    draft: null,
    firstDraftedAt: closed.firstDraftedAt,
    approveBy: closed.approveBy,
    reminders: closed.reminders,
    commentary: closed.commentary,
    failure: closed.failure,
    withdrawReason: null,
    simulation: closed.simulation,
    dueAt: closed.dueAt
  }
}
