/** Mails that came more than once, and whether a kill explains each of them. */
import type { Letter } from "./SmtpServer.ts"

/** So soon after the 250 the hand-over is written down, or a bug keeps it from being written. */
const recordedWithin = 750

export interface Repeats {
  readonly count: number
  /** Repeats that no kill between hand-over and record explains. */
  readonly unexplained: ReadonlyArray<string>
}

export const of = (letters: ReadonlyArray<Letter>, kills: ReadonlyArray<number>): Repeats => {
  const latest = new Map<string, Letter>()
  const unexplained: Array<string> = []
  let count = 0
  for (const letter of letters) {
    const before = latest.get(letter.messageId)
    latest.set(letter.messageId, letter)
    if (before === undefined) continue
    count++
    if (!isExplained(before, kills, letter.acceptedAt)) {
      const answered = before.answeredAt === null ? "never" : before.answeredAt - before.acceptedAt
      unexplained.push(`${letter.messageId} after ${letter.acceptedAt - before.acceptedAt} ms (answered ${answered})`)
    }
  }
  return { count, unexplained }
}

/**
 * A kill fell after the hand-over began and before it can have been written down. What was sent just before the kill may
 * be accepted just after it.
 */
export const isExplained = (letter: Letter, kills: ReadonlyArray<number>, until: number): boolean => {
  const kill = kills.find((at) => at >= letter.beganAt)
  if (kill === undefined || kill > until) return false
  return letter.answeredAt === null || kill <= letter.answeredAt + recordedWithin
}
