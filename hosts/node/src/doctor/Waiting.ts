/** Mails and drafts that failed and will be tried again: nothing is lost yet, and an operator can mend the cause now. It looks only. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type Finding, mend, ok } from "./Doctor.ts"

const counted = (count: number, one: string, many: string) => (count === 1 ? `One ${one}` : `${count} ${many}`)

export const mails = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [total] = yield* sql<{ readonly count: number; readonly oldest: string | null }>`
    SELECT CAST(COUNT(*) AS INTEGER) AS count, MIN(created_at) AS oldest FROM mails WHERE state = 'waiting' AND attempts >= 1 AND reason IS NOT NULL`
  if (total === undefined || total.oldest === null) return ok("waiting mails", "None failed and waits.")
  const [last] = yield* sql<{ readonly reason: string }>`SELECT reason FROM mails
    WHERE state = 'waiting' AND attempts >= 1 AND reason IS NOT NULL ORDER BY due_at DESC, id LIMIT 1`
  const message =
    `${counted(total.count, "mail failed and waits", "mails failed and wait")}, ` +
    `since ${total.oldest} at the earliest; the last reason: ${last?.reason ?? "none was given"}.`
  return { ...mend("waiting mails", message), count: total.count } satisfies Finding
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
  return { ...mend("waiting drafts", message), count: total.count } satisfies Finding
})
