/** Sends mails that are due and records each outcome. A mail's text is rendered when it is sent. */
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
import { checking, latestDue } from "../shared/DueTimes.ts"
import type { OrganizationId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import * as LogThrottle from "../shared/LogThrottle.ts"
import { Policy } from "../shared/Policy.ts"
import * as Subject from "../shared/Subject.ts"
import { Transaction } from "../shared/Transaction.ts"
import { WorkSignal } from "../shared/WorkSignal.ts"
import { isSettled } from "../topic/Assignment.ts"
import { type AssignmentInContext, AssignmentStore } from "../topic/AssignmentStore.ts"
import { isStalled, isUnnotified, type NoticeKind, notified, occasionOf, unreachable } from "../topic/Workflow.ts"
import { CreatorLinks } from "./CreatorLinks.ts"
import { inboxNotice, listedAtMost, notice, undeliverableNotice, undeliverableNotices } from "./CreatorNotices.ts"
import { longestDelays, type Mail, noticeId, repetitionMark, retryAt, retryUnansweredAt } from "./Mail.ts"
import { Mailer, type MailMessage, MailRefused } from "./Mailer.ts"
import { MailStore } from "./MailStore.ts"
import type { NoticeText } from "./NoticeText.ts"
import { noticeOf, periodOf } from "./UndeliverableNotice.ts"
import { isWebhookNotice, type WebhookNoticeKind, webhookNotice } from "./WebhookNotices.ts"

export class MailWorker extends Context.Service<
  MailWorker,
  {
    /** Takes due mails, so many at most, in turn by organization. Each must be delivered by whoever took it. */
    readonly take: (limit: number) => Effect.Effect<ReadonlyArray<Mail>>
    /** Hands one over. Never fails: failing is an outcome. A stop gives it back. */
    readonly deliver: (mail: Mail) => Effect.Effect<void>
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
      /** Whose mail was taken last. */
      const turn = yield* Ref.make<OrganizationId | null>(null)

      const check = yield* checking((now) => mails.repairDueTimes(latestDue(now, policy.lease, longestDelays)))

      /** Null where the organization has none. */
      const contactOf = Effect.fnUntraced(function* (id: OrganizationId) {
        const organization = Option.getOrNull(yield* organizations.find(id))
        if (organization === null || organization.contactEmail === null) return null
        return { name: organization.name, address: organization.contactEmail }
      })

      const aboutWebhook = Effect.fnUntraced(function* (mail: Mail, kind: WebhookNoticeKind) {
        if (mail.organizationId === null || mail.webhook === undefined) return Option.none<MailMessage>()
        const contact = yield* contactOf(mail.organizationId)
        if (contact === null) return Option.none<MailMessage>()
        const text = webhookNotice({ kind, webhook: mail.webhook, organizationName: contact.name, at: mail.createdAt })
        return message(mail, contact, text)
      })

      /** None where the mails have been sent again meanwhile. */
      const aboutFailures = Effect.fnUntraced(function* (mail: Mail) {
        if (mail.organizationId === null) return Option.none<MailMessage>()
        const contact = yield* contactOf(mail.organizationId)
        const { shareIds, total } = yield* mails.undelivered(mail.organizationId, periodOf(mail), listedAtMost)
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
          total === 1 ? undeliverableNotice(first) : undeliverableNotices({ requests, total })
        )
      })

      /** None: nobody needs this mail any more. */
      const write = Effect.fnUntraced(function* (mail: Mail, found: Option.Option<AssignmentInContext>) {
        if (mail.kind === "desk") {
          if (mail.address === null) return Option.none<MailMessage>()
          return message(
            mail,
            { name: "", address: mail.address },
            inboxNotice({ link: yield* links.toInbox(mail.address) })
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
        // The window opens when this mail is handed over, so the deadline it names is a whole window from now.
        const opensNow = mail.kind === "request" && isUnnotified(assignment, now)
        const text = notice({
          kind: mail.kind,
          assignment,
          topic,
          link: yield* links.toAssignment(assignment),
          ...(opensNow ? { respondBy: Instant.plus(now, policy.responseWindow) } : {})
        })
        return message(mail, { name, address: email }, text)
      })

      /** A clean stop does not leave it to the lease that the mail goes out. */
      const release = (mail: Mail) =>
        Effect.flatMap(Instant.now, (now) => mails.settle(mail, { state: "released" }, now))

      /**
       * Uninterruptible but for what the mailer itself lets a stop break off: the outcome of a mail that went out is recorded, or
       * the next worker would send it again.
       */
      const handOver = (mail: Mail, written: MailMessage) =>
        Effect.result(
          Effect.catchDefect(mailer.send(written), (defect) =>
            Effect.fail(new MailRefused({ permanent: false, reason: `the mailer broke: ${String(defect)}` }))
          ).pipe(Effect.onInterrupt(() => release(mail)))
        )

      /** A conversation may last longer than the lease, which bounds how long a dead worker's mails wait. */
      const renewal = Effect.fnUntraced(function* (mail: Mail) {
        for (let isOurs = true; isOurs; ) {
          yield* Effect.sleep(Duration.divideUnsafe(policy.lease, 3))
          const lease = Instant.plus(yield* Instant.now, policy.lease)
          // While the database is away, no other worker takes the mail either.
          isOurs = yield* Effect.catchCause(mails.renew(mail, lease), () => Effect.succeed(true))
        }
      }, Effect.interruptible)

      const leased = <A, E, R>(mail: Mail, work: Effect.Effect<A, E, R>) =>
        Effect.acquireUseRelease(
          Effect.forkChild(renewal(mail)),
          () => work,
          (fiber) => Fiber.interrupt(fiber)
        )

      const deliver = Effect.fn("MailWorker.deliver")(function* (mail: Mail) {
        const found =
          mail.shareId === null || mail.kind === "undeliverable"
            ? Option.none<AssignmentInContext>()
            : yield* assignments.find(mail.shareId)
        const { organizationId, shareId } = mail
        const topicId = Option.getOrUndefined(Option.map(found, ({ assignment }) => assignment.topicId))
        yield* Subject.about(attempt(mail, found), { organizationId, topicId, shareId })
      }, Effect.uninterruptible)

      const attempt = Effect.fnUntraced(function* (mail: Mail, found: Option.Option<AssignmentInContext>) {
        const written = yield* write(mail, found)
        if (Option.isNone(written)) {
          yield* mails.settle(mail, { state: "obsolete" }, yield* Instant.now)
          return
        }
        const outcome = yield* leased(mail, handOver(mail, written.value))
        const now = yield* Instant.now
        if (Result.isFailure(outcome)) return yield* refused(mail, outcome.failure, now)
        if (mail.kind === "request" && mail.shareId !== null) {
          const handedOver = yield* assignments.modify(mail.shareId, (present) =>
            Result.succeed(notified(present, mail, now, policy))
          )
          // The assignment's reminder hangs on this moment.
          yield* signal.notify
          if (Option.isSome(handedOver)) return
        }
        yield* mails.settle(mail, { state: "sent" }, now)
      })

      const refused = Effect.fnUntraced(function* (mail: Mail, refusal: MailRefused, now: Instant.Instant) {
        const { permanent, reason, unanswered = false } = refusal
        const until = permanent
          ? null
          : unanswered
            ? retryUnansweredAt(mail, now)
            : retryAt(mail, now, policy.mailWindow)
        const counts =
          until === null
            ? yield* giveUp(mail, refusal, now)
            : yield* mails.settle(mail, { state: "waiting", until, reason, unanswered }, now)
        // The claim that has overtaken this one decides what becomes of the mail.
        if (!counts) return
        // The assignment's deadline may have moved, and a notice may wait.
        if (until === null) yield* signal.notify
        const log =
          until === null
            ? Effect.logError("A mail could not be delivered")
            : LogThrottle.repeating(Effect.logWarning("A mail must wait"))
        yield* Effect.annotateLogs(log, {
          mail: mail.id,
          kind: mail.kind,
          reason: refusal.reason,
          ...(until === null
            ? {
                mend:
                  mail.webhook === undefined
                    ? "correct the address with creator change-email, then mail resend"
                    : "correct the contact with org update --contact-email; the record names what was done"
              }
            : { again_at: Instant.toIso(until) })
        })
      })

      /** With what follows from it. False, and nothing is changed, where another claim has overtaken this one. */
      const giveUp = (mail: Mail, { permanent, reason }: MailRefused, now: Instant.Instant) => {
        const { organizationId, shareId } = mail
        return transaction
          .run(
            Effect.gen(function* () {
              if (permanent && mail.kind === "request" && shareId !== null) {
                yield* assignments.modify(shareId, (present) => Result.succeed(unreachable(present, now, policy)))
              }
              if (!(yield* mails.settle(mail, { state: "failed", reason }, now))) return yield* new Overtaken()
              if (shareId !== null && organizationId !== null) yield* mails.queue(noticeOf(organizationId, now))
              return true
            })
          )
          .pipe(Effect.catchTag("Overtaken", () => Effect.succeed(false)))
      }

      return MailWorker.of({
        take: Effect.fnUntraced(function* (limit) {
          const now = yield* Instant.now
          yield* check(now)
          const taken = yield* mails.claim(now, Instant.plus(now, policy.lease), limit, yield* Ref.get(turn))
          const last = taken.at(-1)
          if (last !== undefined) yield* Ref.set(turn, last.organizationId)
          return taken
        }),
        deliver,
        nextDue: mails.nextDue
      })
    })
  )
}

const message = (mail: Mail, to: MailMessage["to"], text: NoticeText): Option.Option<MailMessage> =>
  Option.some({ id: mail.id, to, ...text })

/** Undoes the transaction around it. */
class Overtaken extends Schema.TaggedError<Overtaken>()("Overtaken", {}) {}

/** A request whose time is over, a reminder after the answer, or a draft that was replaced, would only confuse. */
const isWanted = (id: string, kind: NoticeKind, { assignment }: AssignmentInContext, now: Instant.Instant): boolean => {
  if (isSettled(assignment)) return false
  if (kind === "request" || kind === "reminder") return assignment.status === "topic_sent" && now < assignment.respondBy
  const isFor = kind === "stalled" ? isStalled(assignment) : assignment.draft !== null
  const base = noticeId(assignment.id, occasionOf(kind, assignment))
  return isFor && (id === base || id.startsWith(base + repetitionMark))
}
