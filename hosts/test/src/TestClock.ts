/** The clock of one instance. It stands still; what falls due happens when it is moved. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { TestPartnerCommentaryError } from "./TestError.ts"
import type { TestInstance } from "./TestInstance.ts"

type Unit = "milli" | "second" | "minute" | "hour" | "day" | "week"

/** `"48 hours"`, `"1 day"`, `"90 seconds"`; a number is milliseconds. */
export type Span = number | `${number} ${Unit}` | `${number} ${Unit}s`

const latest = Date.parse("9999-12-31T23:59:59.999Z")

const millisOf = (span: Span): number => {
  const duration = typeof span === "number" && Number.isNaN(span) ? Option.none() : Duration.fromInput(span)
  const millis = Option.match(duration, { onNone: () => Number.NaN, onSome: Duration.toMillis })
  if (Number.isFinite(millis)) return millis
  throw new TestPartnerCommentaryError(
    `${JSON.stringify(span)} is no span of time. Say "48 hours", "90 seconds", "7 days", or milliseconds as a number.`
  )
}

/** Moves an instance's time, and says what it is. */
export class TestClock {
  readonly #instance: TestInstance

  /** @internal */
  constructor(instance: TestInstance) {
    this.#instance = instance
  }

  /** The present of the instance. */
  get now(): Date {
    return new Date(this.#instance.now)
  }

  /** Moves the clock on; windows, reminders, retries and deliveries that fall due happen on the way, each at its moment. */
  async advance(span: Span): Promise<void> {
    const millis = millisOf(span)
    const now = this.#instance.now
    // What is negative as a text is read as zero.
    if (millis < 0 || (typeof span === "string" && span.trim().startsWith("-"))) {
      throw new TestPartnerCommentaryError(`The clock cannot go back: ${JSON.stringify(span)} from ${iso(now)}.`)
    }
    await this.#advanceTo(now + millis)
  }

  /** Moves the clock on to a moment, in the same way. */
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
