/** Reports mails and drafts that failed and will be retried, so that an operator can fix the cause in time. */
import { WorkBacklog } from "@partner-commentary/core/operations/WorkBacklog"
import { toIso } from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Finding, mend, ok } from "./Doctor.ts"

const counted = (count: number, one: string, many: string) => (count === 1 ? `One ${one}` : `${count} ${many}`)

export const mails = Effect.gen(function* () {
  const failed = yield* (yield* WorkBacklog).mailsToRetry
  if (Option.isNone(failed)) return ok("waiting mails", "None failed and waits.")
  const { count, lastReason, oldest } = failed.value
  const message =
    `${counted(count, "mail failed and waits", "mails failed and wait")}, ` +
    `since ${toIso(oldest)} at the earliest; the last reason: ${lastReason}.`
  return { ...mend("waiting mails", message), count } satisfies Finding
})

export const drafts = Effect.gen(function* () {
  const failed = yield* (yield* WorkBacklog).draftsToRetry
  if (Option.isNone(failed)) return ok("waiting drafts", "None failed and waits.")
  const { count, mostAttempts } = failed.value
  const message =
    `${counted(count, "draft failed and waits", "drafts failed and wait")} for another attempt; ` +
    `${counted(mostAttempts, "attempt", "attempts")} at one of them so far. The log says why.`
  return { ...mend("waiting drafts", message), count } satisfies Finding
})
