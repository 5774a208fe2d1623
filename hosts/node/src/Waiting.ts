/** Mails and drafts that failed and will be tried again: nothing is lost yet, but somebody may want to know why. It looks only. */
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type Finding, mend, notice, ok } from "./Doctor.ts"

/** So long may a mail that failed wait, and so often may a draft fail, before somebody should act. */
const patience = { mail: { duration: Duration.hours(1), text: "one hour" }, attempts: 3 }

const counted = (count: number, one: string, many: string) => (count === 1 ? `One ${one}` : `${count} ${many}`)

export const mails = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [total] = yield* sql<{ readonly count: number; readonly oldest: string | null }>`
    SELECT CAST(COUNT(*) AS INTEGER) AS count, MIN(created_at) AS oldest FROM mails WHERE state = 'waiting' AND attempts >= 2`
  if (total === undefined || total.oldest === null) return ok("waiting mails", "None failed twice and waits.")
  const [last] = yield* sql<{ readonly reason: string }>`SELECT reason FROM mails
    WHERE state = 'waiting' AND attempts >= 2 AND reason IS NOT NULL ORDER BY due_at DESC, id LIMIT 1`
  const message =
    `${counted(total.count, "mail was tried at least twice and waits", "mails were tried at least twice and wait")}, ` +
    `since ${total.oldest} at the earliest; the last reason: ${last?.reason ?? "none was given"}.`
  const overdue = Instant.plus(Instant.fromIso(total.oldest), patience.mail.duration) < (yield* Instant.now)
  return finding("waiting mails", overdue, message, total.count)
})

export const drafts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [total] = yield* sql<{ readonly count: number; readonly most: number | null }>`
    SELECT CAST(COUNT(*) AS INTEGER) AS count, MAX(generation_attempts) AS most FROM assignments
    WHERE due_at IS NOT NULL AND generation_attempts > 0 AND generation_next_at IS NOT NULL AND generation_running = 0`
  if (total === undefined || total.most === null) return ok("waiting drafts", "None failed and waits.")
  const message =
    `${counted(total.count, "draft failed and waits", "drafts failed and wait")} for another attempt; ` +
    `${counted(total.most, "attempt", "attempts")} at one of them so far. The log says why.`
  return finding("waiting drafts", total.most >= patience.attempts, message, total.count)
})

const finding = (check: Finding["check"], isUrgent: boolean, message: string, count: number): Finding => ({
  ...(isUrgent ? mend : notice)(check, message),
  count
})
