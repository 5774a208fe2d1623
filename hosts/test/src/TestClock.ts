/** The clock of one instance. The clock stands still until a test moves it, and due work runs when the clock moves. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { TestPartnerCommentaryError } from "./TestError.ts"
import type { TestInstance } from "./TestInstance.ts"

type Unit = "milli" | "second" | "minute" | "hour" | "day" | "week"

/** A duration such as `"48 hours"`, `"1 day"` or `"90 seconds"`. A number is a duration in milliseconds. */
export type DurationInput = number | `${number} ${Unit}` | `${number} ${Unit}s`

const latest = Date.parse("9999-12-31T23:59:59.999Z")

const millisOf = (input: DurationInput): number => {
  const duration = typeof input === "number" && Number.isNaN(input) ? Option.none() : Duration.fromInput(input)
  const millis = Option.match(duration, { onNone: () => Number.NaN, onSome: Duration.toMillis })
  if (Number.isFinite(millis)) return millis
  throw new TestPartnerCommentaryError(
    `${JSON.stringify(input)} is no duration. Say "48 hours", "90 seconds", "7 days", or milliseconds as a number.`
  )
}

/** Reads and moves an instance's clock. */
export class TestClock {
  readonly #instance: TestInstance

  /** @internal */
  constructor(instance: TestInstance) {
    this.#instance = instance
  }

  /** The current time of the instance. */
  get now(): Date {
    return new Date(this.#instance.now)
  }

  /**
   * Moves the clock forward. Each deadline, reminder, retry or delivery that becomes due while the clock moves is
   * processed at its due time.
   */
  async advance(duration: DurationInput): Promise<void> {
    const millis = millisOf(duration)
    const now = this.#instance.now
    // Check the sign here, because the duration parser reads negative durations as zero.
    if (millis < 0 || (typeof duration === "string" && duration.trim().startsWith("-"))) {
      throw new TestPartnerCommentaryError(`The clock cannot go back: ${JSON.stringify(duration)} from ${iso(now)}.`)
    }
    await this.#advanceTo(now + millis)
  }

  /** Moves the clock forward to the given time. Due work runs while the clock moves, as in `advance`. */
  async advanceTo(moment: Date | string | number): Promise<void> {
    const millis = new Date(moment).getTime()
    if (Number.isNaN(millis)) throw new TestPartnerCommentaryError(`${JSON.stringify(moment)} is no moment.`)
    const now = this.#instance.now
    if (millis < now) {
      throw new TestPartnerCommentaryError(
        `The clock cannot go back: it is ${iso(now)} already, later than ${iso(millis)}. Make another instance with \`now\` set.`
      )
    }
    await this.#advanceTo(millis)
  }

  async #advanceTo(moment: number): Promise<void> {
    if (moment > latest) throw new TestPartnerCommentaryError("The clock cannot go beyond the year 9999.")
    await this.#instance.advanceTo(moment)
  }
}

const iso = (millis: number): string =>
  Math.abs(millis) <= 8.64e15 ? new Date(millis).toISOString() : `${millis} milliseconds`
