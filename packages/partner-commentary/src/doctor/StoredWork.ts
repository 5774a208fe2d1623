/**
 * Checks the jobs in the database: which of them failed permanently, wait for a retry, or are overdue. The checks of
 * jobs change no data.
 */
import { MediaJobStore } from "@partner-commentary/core/commentary/MediaJobStore"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import { WorkBacklog } from "@partner-commentary/core/operations/WorkBacklog"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { Environment } from "@partner-commentary/core/shared/Owner"
import { isAssignmentSettled } from "@partner-commentary/core/topic/Assignment"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { DoctorAdvice } from "./Advice.ts"
import { type DoctorFinding, makeMendFinding, makeOkFinding } from "./Finding.ts"

const listed = 10

/** The maximum number of problems that a check counts. */
export const maxCountedProblems = 1000

/** The sentence of a finding continues after the reason. */
const withoutFullStop = (reason: string) => reason.replace(/\.$/, "")

export const diagnoseFailedMails = Effect.fnUntraced(function* (advice: DoctorAdvice) {
  const assignments = yield* AssignmentStore
  const failed = yield* (yield* MailStore).failed(maxCountedProblems)
  const open = yield* Effect.filter(
    failed,
    Effect.fnUntraced(function* ({ mail }) {
      if (mail.shareId === null || mail.kind === "undeliverable") return false
      const found = yield* assignments.find(mail.shareId)
      if (Option.isNone(found) || isAssignmentSettled(found.value.assignment)) return false
      return mail.kind !== "request" || found.value.assignment.notifiedAt === null
    })
  )
  const [first] = open
  if (first === undefined) return makeOkFinding("mails", "No mail has finally failed.")
  const least = failed.length === maxCountedProblems ? "at least " : ""
  const earliest = Math.min(...open.map(({ at }) => at))
  const message =
    open.length === 1
      ? `A ${first.mail.kind} mail finally failed (${withoutFullStop(first.reason)}): ` +
        `fix the cause, then ${advice.resendMail(first.mail.shareId ?? "")}.`
      : `${least}${open.length} mails finally failed, the last one because of: ${withoutFullStop(first.reason)}; ` +
        `fix the cause, then ${advice.resendMails(Instant.toIso(earliest))}.`
  return { ...makeMendFinding("mails", message), count: open.length }
})

/** Returns the end of a finding's message, which lists at most ten ids. */
const list = (ids: ReadonlyArray<string>) =>
  `${ids.length > listed ? `the first ${listed}: ` : "they are: "}${ids.slice(0, listed).join(" ")}`

export const diagnoseFailedGenerations = Effect.fnUntraced(function* (advice: DoctorAdvice) {
  const stalled = yield* (yield* AssignmentStore).stalled
  const [first] = stalled
  if (first === undefined) return makeOkFinding("generations", "No generation has finally failed.")
  const message =
    stalled.length === 1
      ? `One generation finally failed: fix the generator, then ${advice.retryDraft(first)}.`
      : `${stalled.length} generations finally failed: fix the generator, then ${advice.retryDrafts}; ${list(stalled)}`
  return { ...makeMendFinding("generations", message), count: stalled.length }
})

const formatCount = (count: number, one: string, many: string) => (count === 1 ? `One ${one}` : `${count} ${many}`)

export const diagnoseMailsAwaitingRetry = Effect.gen(function* () {
  const failed = yield* (yield* WorkBacklog).mailsToRetry
  if (Option.isNone(failed)) return makeOkFinding("waiting mails", "None waits for a retry.")
  const { count, lastReason, oldest } = failed.value
  const message =
    `${formatCount(count, "mail failed and waits", "mails failed and wait")}, ` +
    `since ${Instant.toIso(oldest)} at the earliest; the last reason: ${withoutFullStop(lastReason)}.`
  return { ...makeMendFinding("waiting mails", message), count }
})

export const diagnoseDraftsAwaitingRetry = Effect.gen(function* () {
  const failed = yield* (yield* WorkBacklog).draftsToRetry
  if (Option.isNone(failed)) return makeOkFinding("waiting drafts", "None waits for a retry.")
  const { count, mostAttempts } = failed.value
  const message =
    `${formatCount(count, "draft failed and waits", "drafts failed and wait")} for another attempt; ` +
    `${formatCount(mostAttempts, "attempt", "attempts")} at one of them so far. The log says why.`
  return { ...makeMendFinding("waiting drafts", message), count }
})

/** The time after which due work counts as overdue. */
export const overdueThreshold = { duration: Duration.minutes(5), text: "5 minutes" }

export const diagnoseOverdueWork = Effect.fnUntraced(function* (advice: DoctorAdvice) {
  const now = yield* Instant.now
  const waiting = [yield* (yield* AssignmentStore).nextDue(Environment.literals), yield* (yield* MailStore).nextDue]
  const overdue = waiting.some(Option.exists((due) => Instant.plus(due, overdueThreshold.duration) < now))
  return overdue
    ? makeMendFinding("work", `Work has been due for more than ${overdueThreshold.text}: ${advice.work}.`)
    : makeOkFinding("work", "Nothing is overdue.")
})

/** Checks for failed audio and video jobs. `synthesizer` describes the speech server or function in words. */
export const diagnoseFailedMedia = Effect.fnUntraced(function* (advice: DoctorAdvice, synthesizer: string) {
  const failed = yield* (yield* MediaJobStore).failed(maxCountedProblems)
  const [first] = failed
  if (first === undefined) return makeOkFinding("media", `Audio: ${synthesizer}. No job has finally failed.`)
  const { kind, shareId } = first.job
  const message =
    failed.length === 1
      ? `The ${kind} of ${shareId} finally failed (${withoutFullStop(first.reason)}): fix the cause, then ${advice.retryMedium(shareId)}.`
      : `${failed.length === maxCountedProblems ? "at least " : ""}${failed.length} audio or video finally failed, ` +
        `the last one because of: ${withoutFullStop(first.reason)}; fix the cause, then ${advice.retryMedia}.`
  return { ...makeMendFinding("media", message), count: failed.length } satisfies DoctorFinding
})
