/** Finds mails that arrived more than once, and checks that a kill explains each repeated mail. */
import type { ReceivedMail } from "./SmtpServer.ts"

/**
 * The maximum time in milliseconds from the mail server's 250 response to the update of the mail's row in the database;
 * a longer time is a bug.
 */
const recordedWithin = 750

export interface RepeatedMails {
  readonly count: number
  /** The repeated mails for which no kill happened between the hand-over to the mail server and the database update. */
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
 * Returns true if a kill happened after the hand-over began and before the service must have recorded the mail. The
 * mail server may accept a mail just after the sending process was killed.
 */
export const isRepeatExplained = (letter: ReceivedMail, kills: ReadonlyArray<number>, until: number): boolean => {
  const kill = kills.find((at) => at >= letter.beganAt)
  if (kill === undefined || kill > until) return false
  return letter.answeredAt === null || kill <= letter.answeredAt + recordedWithin
}
