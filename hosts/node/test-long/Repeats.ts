/** Finds mails that arrived more than once, and checks that a kill explains each repeated mail. */
import type { ReceivedMail } from "./SmtpServer.ts"

/**
 * After the 250 response, the service must record a mail as sent within this many milliseconds. A longer delay counts
 * as a bug.
 */
const recordedWithin = 750

export interface RepeatedMails {
  readonly count: number
  /** Repeated mails without a kill between the SMTP transaction and its record in the database. */
  readonly unexplained: ReadonlyArray<string>
}

export const findRepeatedMails = (
  letters: ReadonlyArray<ReceivedMail>,
  kills: ReadonlyArray<number>
): RepeatedMails => {
  const latest = new Map<string, ReceivedMail>()
  const unexplained: Array<string> = []
  let count = 0
  for (const letter of letters) {
    const before = latest.get(letter.messageId)
    latest.set(letter.messageId, letter)
    if (before === undefined) continue
    count++
    if (!isRepeatExplained(before, kills, letter.acceptedAt)) {
      const answered = before.answeredAt === null ? "never" : before.answeredAt - before.acceptedAt
      unexplained.push(`${letter.messageId} after ${letter.acceptedAt - before.acceptedAt} ms (answered ${answered})`)
    }
  }
  return { count, unexplained }
}

/**
 * Returns whether a kill explains that a mail was sent again. The kill must happen after the SMTP transaction began and
 * before the service must have recorded the mail. The mail server may accept a mail just after a kill.
 */
export const isRepeatExplained = (letter: ReceivedMail, kills: ReadonlyArray<number>, until: number): boolean => {
  const kill = kills.find((at) => at >= letter.beganAt)
  if (kill === undefined || kill > until) return false
  return letter.answeredAt === null || kill <= letter.answeredAt + recordedWithin
}
