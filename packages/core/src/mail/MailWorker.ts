/** Sends due mails and records their outcomes. The worker composes a mail's text when it sends the mail. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { OrganizationStore } from "../partner/OrganizationStore.ts"
import { runJobAttempt } from "../shared/Attempt.ts"
import { calculateLatestPlausibleDueTimes, makePeriodicRepair } from "../shared/DueTimes.ts"
import type { OrganizationId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import * as LogContext from "../shared/LogContext.ts"
import * as LogThrottle from "../shared/LogThrottle.ts"
import { Policy } from "../shared/Policy.ts"
import { Transaction } from "../shared/Transaction.ts"
import { WorkSignal } from "../shared/WorkSignal.ts"
import { type Assignment, isAssignmentSettled } from "../topic/Assignment.ts"
import { AssignmentStore, type AssignmentWithTopic } from "../topic/AssignmentStore.ts"
import {
  type AssignmentChange,
  type CreatorNoticeKind,
  isGenerationStalled,
  isRequestMailUndelivered,
  makeNoticeOccasion,
  recordLateRequestMailDelivery,
  recordRequestMailDelivery,
  recordRequestMailFailure
} from "../topic/Workflow.ts"
import { CreatorLinks } from "./CreatorLinks.ts"
import {
  composeInboxNotice,
  composeNotice,
  composeUndeliverableNotice,
  composeUndeliverableSummary,
  maxRequestsPerSummaryMail
} from "./CreatorNotices.ts"
import {
  type Mail,
  makeAssignmentMailId,
  maxMailRetryDelays,
  nextMailRetryAt,
  nextUnansweredMailRetryAt,
  resendIdSeparator
} from "./Mail.ts"
import { Mailer, type MailMessage, MailRefused } from "./Mailer.ts"
import { MailStore } from "./MailStore.ts"
import type { RenderedNotice } from "./NoticeText.ts"
import { findReportedHour, makeUndeliverableNotice } from "./UndeliverableNotice.ts"
import { composeWebhookNotice, isWebhookNotice, type WebhookNoticeKind } from "./WebhookNotices.ts"

export class MailWorker extends Context.Service<
  MailWorker,
  {
    /** Claims due mails, with a fair share for each organization. The caller must pass each claimed mail to `run`. */
    readonly claim: (limit: number) => Effect.Effect<ReadonlyArray<Mail>>
    /**
     * Sends a claimed mail and records the outcome. `run` never fails. An interruption of `run` releases the claimed
     * mail.
     */
    readonly run: (mail: Mail) => Effect.Effect<void>
    readonly nextDue: Effect.Effect<Option.Option<Instant.Instant>>
  }
>()("@partner-commentary/core/mail/MailWorker") {
  static readonly layer = Layer.effect(
    MailWorker,
    Effect.gen(function* () {
      const mails = yield* MailStore
      const assignments = yield* AssignmentStore
      const organizations = yield* OrganizationStore
      const links = yield* CreatorLinks
      const mailer = yield* Mailer
      const policy = yield* Policy
      const signal = yield* WorkSignal
      const transaction = yield* Transaction
      /**
       * The organization of the last claimed mail. The next claim of mails starts with the organization that follows
       * `lastClaimed`.
       */
      const lastClaimed = yield* Ref.make<OrganizationId | null>(null)

      const repair = yield* makePeriodicRepair((now) =>
        mails.repairDueTimes(calculateLatestPlausibleDueTimes(now, policy.lease, maxMailRetryDelays))
      )

      /** Returns the contact of an organization; null if the organization has no contact. */
      const contactOf = Effect.fnUntraced(function* (id: OrganizationId) {
        const organization = Option.getOrNull(yield* organizations.find(id))
        if (organization === null || organization.contactEmail === null) return null
        return { name: organization.name, address: organization.contactEmail }
      })

      const aboutWebhook = Effect.fnUntraced(function* (mail: Mail, kind: WebhookNoticeKind) {
        if (mail.organizationId === null || mail.webhook === undefined) return Option.none<MailMessage>()
        const contact = yield* contactOf(mail.organizationId)
        if (contact === null) return Option.none<MailMessage>()
        const text = composeWebhookNotice({
          kind,
          webhook: mail.webhook,
          organizationName: contact.name,
          at: mail.createdAt
        })
        return message(mail, contact, text)
      })

      /**
       * Composes the mail about an organization's failed mails; none if the organization has no contact or no failed
       * mails remain.
       */
      const aboutFailures = Effect.fnUntraced(function* (mail: Mail) {
        if (mail.organizationId === null) return Option.none<MailMessage>()
        const contact = yield* contactOf(mail.organizationId)
        const { shareIds, total } = yield* mails.undelivered(
          mail.organizationId,
          findReportedHour(mail),
          maxRequestsPerSummaryMail
        )
        const found = yield* Effect.forEach(shareIds, assignments.find)
        const requests = found.flatMap(Option.toArray).map(({ assignment, topic }) => ({
          personaName: assignment.persona.name,
          topic,
          answered: assignment.status !== "topic_sent"
        }))
        const [first] = requests
        if (contact === null || first === undefined) return Option.none<MailMessage>()
        return message(
          mail,
          contact,
          total === 1 ? composeUndeliverableNotice(first) : composeUndeliverableSummary({ requests, total })
        )
      })

      /** Composes a mail; none if the mail is obsolete. */
      const render = Effect.fnUntraced(function* (mail: Mail, found: Option.Option<AssignmentWithTopic>) {
        if (mail.kind === "desk") {
          if (mail.address === null) return Option.none<MailMessage>()
          return message(
            mail,
            { name: "", address: mail.address },
            composeInboxNotice({ link: yield* links.toInbox(mail.address) })
          )
        }
        if (isWebhookNotice(mail.kind)) return yield* aboutWebhook(mail, mail.kind)
        if (mail.kind === "undeliverable") return yield* aboutFailures(mail)
        if (Option.isNone(found)) return Option.none<MailMessage>()
        const { assignment, topic } = found.value
        const now = yield* Instant.now
        if (!isWanted(mail.id, mail.kind, found.value, now) || assignment.creator.email === "")
          return Option.none<MailMessage>()
        const { name, email } = assignment.creator
        // The response window starts when a mail server accepts the request mail, so the deadline is one response
        // window from now.
        const opensNow =
          mail.kind === "request" && !assignment.isDeadlineFixed && isRequestMailUndelivered(assignment, now)
        const text = composeNotice({
          kind: mail.kind,
          assignment,
          topic,
          link: yield* links.toAssignment(assignment),
          ...(opensNow ? { respondBy: Instant.plus(now, policy.responseWindow) } : {})
        })
        return message(mail, { name, address: email }, text)
      })

      /**
       * Sends a mail. The mailer decides which steps of the call a shutdown may interrupt. A mail whose outcome is not
       * stored is sent again.
       */
      const send = (mail: Mail, rendered: MailMessage) =>
        runJobAttempt(mailer.send(rendered), {
          release: (now) => mails.settle(mail, { state: "released" }, now),
          defect: (reason) => new MailRefused({ permanent: false, reason: `the mailer failed unexpectedly: ${reason}` })
        })

      /** Renews the lease of a mail during the SMTP session, because a session can last longer than the lease. */
      const renew = Effect.fnUntraced(function* (mail: Mail) {
        for (let isOurs = true; isOurs; ) {
          yield* Effect.sleep(Duration.divideUnsafe(policy.lease, 3))
          const lease = Instant.plus(yield* Instant.now, policy.lease)
          // Continue while the database is unreachable, because no other worker can claim the mail during that time.
          isOurs = yield* Effect.catchCause(mails.renew(mail, lease), () => Effect.succeed(true))
        }
      }, Effect.interruptible)

      const withRenewedLease = <A, E, R>(mail: Mail, work: Effect.Effect<A, E, R>) =>
        Effect.acquireUseRelease(
          Effect.forkChild(renew(mail)),
          () => work,
          (fiber) => Fiber.interrupt(fiber)
        )

      const run = Effect.fn("MailWorker.run")(function* (mail: Mail) {
        const found =
          mail.shareId === null || mail.kind === "undeliverable"
            ? Option.none<AssignmentWithTopic>()
            : yield* assignments.find(mail.shareId)
        const { organizationId, shareId } = mail
        const topicId = Option.getOrUndefined(Option.map(found, ({ assignment }) => assignment.topicId))
        yield* LogContext.annotateSpansAndLogsWithLogContext(deliver(mail, found), { organizationId, topicId, shareId })
      }, Effect.uninterruptible)

      const deliver = Effect.fnUntraced(function* (mail: Mail, found: Option.Option<AssignmentWithTopic>) {
        const rendered = yield* render(mail, found)
        if (Option.isNone(rendered)) {
          const { maybeSentAt } = mail
          yield* mail.kind === "request" && maybeSentAt !== null
            ? recordDelivery(mail, (present) => recordLateRequestMailDelivery(present, mail, maybeSentAt))
            : mails.settle(mail, { state: "obsolete" }, yield* Instant.now)
          return
        }
        const outcome = yield* withRenewedLease(mail, send(mail, rendered.value))
        const now = yield* Instant.now
        if (Result.isFailure(outcome)) return yield* recordRefusal(mail, outcome.failure, now)
        yield* recordDelivery(mail, (present) => recordRequestMailDelivery(present, mail, now, policy))
      })

      /** Marks the mail as sent, and records the delivery of a request mail in its assignment. */
      const recordDelivery = Effect.fnUntraced(function* (
        mail: Mail,
        record: (present: Assignment) => AssignmentChange
      ) {
        if (mail.kind === "request" && mail.shareId !== null) {
          const handedOver = yield* assignments.modify(mail.shareId, (present) => Result.succeed(record(present)))
          if (Option.isSome(handedOver)) {
            // Signal the change, because the delivery time determines when the reminder is due.
            yield* signal.tell(handedOver.value.work)
            return
          }
        }
        yield* mails.settle(mail, { state: "sent" }, yield* Instant.now)
      })

      const recordRefusal = Effect.fnUntraced(function* (mail: Mail, refusal: MailRefused, now: Instant.Instant) {
        const { permanent, reason, stopped = false, unanswered = false } = refusal
        const until = permanent
          ? null
          : unanswered
            ? nextUnansweredMailRetryAt(mail, now, { stopped })
            : nextMailRetryAt(mail, now, policy.mailWindow)
        const counts =
          until === null
            ? yield* giveUp(mail, refusal, now)
            : yield* mails.settle(mail, { state: "waiting", until, reason, unanswered, stopped }, now)
        // If the mail was claimed again, the later claim records the outcome.
        if (!counts) return
        // Signal the change, because the assignment's deadline may have changed and another mail may be due.
        yield* until === null ? signal.notify : signal.tell([{ kind: "mails", at: until }])
        const log =
          until === null
            ? Effect.logError("A mail could not be delivered")
            : LogThrottle.markLogsAsRepeating(Effect.logWarning("A mail must wait"))
        yield* Effect.annotateLogs(log, {
          mail: mail.id,
          kind: mail.kind,
          reason: refusal.reason,
          ...(until === null
            ? {
                mend:
                  mail.webhook === undefined
                    ? "correct the address (creator change-email, or pc.creators.changeEmail), then send the mail again (mail resend, or pc.creators.resendMail)"
                    : "correct the contact (org update --contact-email, or pc.organizations.update); the record names what was done"
              }
            : { again_at: Instant.toIso(until) })
        })
      })

      /**
       * Marks the mail as failed and queues a mail about the failure to the organization's contact. If the mail was
       * claimed again, `giveUp` returns false and changes nothing.
       */
      const giveUp = (mail: Mail, { permanent, reason }: MailRefused, now: Instant.Instant) => {
        const { organizationId, shareId } = mail
        return transaction
          .run(
            Effect.gen(function* () {
              if (permanent && mail.kind === "request" && shareId !== null) {
                const modified = yield* assignments.modify(shareId, (present) =>
                  Result.succeed(recordRequestMailFailure(present, now, policy))
                )
                if (Option.isSome(modified)) yield* signal.tell(modified.value.work)
              }
              if (!(yield* mails.settle(mail, { state: "failed", reason }, now))) return yield* new Overtaken()
              if (shareId !== null && organizationId !== null && mail.kind !== "cancelled")
                yield* mails.queue(makeUndeliverableNotice(organizationId, now))
              return true
            })
          )
          .pipe(Effect.catchTag("Overtaken", () => Effect.succeed(false)))
      }

      return MailWorker.of({
        claim: Effect.fnUntraced(function* (limit) {
          const now = yield* Instant.now
          yield* repair(now)
          const claimed = yield* mails.claim(now, Instant.plus(now, policy.lease), limit, yield* Ref.get(lastClaimed))
          const last = claimed.at(-1)
          if (last !== undefined) yield* Ref.set(lastClaimed, last.organizationId)
          return claimed
        }),
        run,
        nextDue: mails.nextDue
      })
    })
  )
}

const message = (mail: Mail, to: MailMessage["to"], text: RenderedNotice): Option.Option<MailMessage> =>
  Option.some({ id: mail.id, to, ...text })

/**
 * Another attempt has claimed the mail. The error `Overtaken` rolls back the transaction in which `giveUp` marks the
 * mail as failed.
 */
class Overtaken extends Schema.TaggedError<Overtaken>()("Overtaken", {}) {}

/**
 * Returns true if the mail is still needed. Examples of obsolete mails are a request after its deadline and a reminder
 * after the creator's answer.
 */
const isWanted = (
  id: string,
  kind: CreatorNoticeKind,
  { assignment }: AssignmentWithTopic,
  now: Instant.Instant
): boolean => {
  if (kind === "cancelled") return assignment.failure?.reason === "cancelled"
  if (isAssignmentSettled(assignment)) return false
  if (kind === "request" || kind === "reminder") return assignment.status === "topic_sent" && now < assignment.respondBy
  const isFor = kind === "stalled" ? isGenerationStalled(assignment) : assignment.draft !== null
  const base = makeAssignmentMailId(assignment.id, makeNoticeOccasion(kind, assignment))
  return isFor && (id === base || id.startsWith(base + resendIdSeparator))
}
