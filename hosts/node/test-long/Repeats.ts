/** Finds mails that arrived more than once, and checks that a kill explains each repeated mail. */
import type { ReceivedMail } from "./SmtpServer.ts"

/**
 * The maximum time in milliseconds from the mail server's 250 response to the update of the mail's row in the database;
 * a longer time is a bug.
 */
const recordedWithin = 750

export interface RepeatedMails {
  readonly count: number
  /** The largest number of repeated mails that the same kill explains. */
  readonly mostByOneKill: number
  /** The repeated mails for which no kill happened between the hand-over to the mail server and the database update. */
  readonly unexplained: ReadonlyArray<string>
}

export const findRepeatedMails = (
  letters: ReadonlyArray<ReceivedMail>,
  kills: ReadonlyArray<number>
): RepeatedMails => {
  const latest = new Map<string, ReceivedMail>()
  const unexplained: Array<string> = []
  const byKill = new Map<number, number>()
  let count = 0
  for (const letter of letters) {
    const before = latest.get(letter.messageId)
    latest.set(letter.messageId, letter)
    if (before === undefined) continue
    count++
    const kill = findExplainingKill(before, kills, letter.acceptedAt)
    if (kill !== undefined) byKill.set(kill, (byKill.get(kill) ?? 0) + 1)
    else {
      const answered = before.answeredAt === null ? "never" : before.answeredAt - before.acceptedAt
      unexplained.push(`${letter.messageId} after ${letter.acceptedAt - before.acceptedAt} ms (answered ${answered})`)
    }
  }
  return { count, mostByOneKill: Math.max(0, ...byKill.values()), unexplained }
}

/**
 * Returns the time of the first kill after the hand-over began. Returns undefined if that kill happened after the
 * service must have recorded the mail. The mail server may accept a mail just after the sending process was killed.
 */
export const findExplainingKill = (
  letter: ReceivedMail,
  kills: ReadonlyArray<number>,
  until: number
): number | undefined => {
  const kill = kills.find((at) => at >= letter.beganAt)
  if (kill === undefined || kill > until) return undefined
  return letter.answeredAt === null || kill <= letter.answeredAt + recordedWithin ? kill : undefined
}
