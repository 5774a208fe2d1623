/** Which assignments figures are about: those sent from one moment on and before another. */
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Instant from "../shared/Instant.ts"

export interface ReportingPeriod {
  /** The first moment of it. */
  readonly start: Instant.Instant
  /** The first moment after it. */
  readonly end: Instant.Instant
}

/** A period as it was asked for. */
export interface AskedPeriod extends ReportingPeriod {
  /** It ends now, with all that was sent so far. */
  readonly untilNow: boolean
}

/** Whole days (UTC), from the one that begins at `start` on; without an end where `end` is null. */
export interface Days {
  readonly start: Instant.Instant
  readonly end: Instant.Instant | null
}

/** A whole leap year. */
export const longest = Duration.days(366)

/** So far back where no start is given. */
const usual = Duration.days(30)

/** The first moment that a period may have: the service saw none before it. */
const earliest = Instant.fromIso("2000-01-01T00:00:00.000Z")

/** `backwards`: it does not start before it ends. `too_long`: longer than `longest`. `too_early`: what was given of it lies before `earliest`. */
export class PeriodInvalid extends Schema.TaggedError<PeriodInvalid>()("PeriodInvalid", {
  reason: Schema.Literals(["backwards", "too_long", "too_early"])
}) {}

/** Ends now and starts with the day that was 30 days before its end, unless told otherwise; never before `earliest`. */
export const reportingPeriod = (
  given: { readonly from: Instant.Instant | null; readonly to: Instant.Instant | null },
  now: Instant.Instant
): Result.Result<AskedPeriod, PeriodInvalid> => {
  const end = given.to ?? now
  const start = given.from ?? Math.max(earliest, Instant.startOfDay(end - Duration.toMillis(usual)))
  if (end <= earliest || start < earliest) return Result.fail(new PeriodInvalid({ reason: "too_early" }))
  if (start >= end) return Result.fail(new PeriodInvalid({ reason: "backwards" }))
  if (end > Instant.plus(start, longest)) return Result.fail(new PeriodInvalid({ reason: "too_long" }))
  return Result.succeed({ start, end, untilNow: given.to === null })
}

const day = Duration.toMillis(Duration.days(1))

/** Into its whole days and what is left of a day before and after them. */
export const divide = ({ end, start, untilNow }: AskedPeriod) => {
  const first = Instant.startOfDay(start + day - 1)
  const last = untilNow ? null : Instant.startOfDay(end)
  if (last !== null && first > last) return { before: { start, end }, days: null, after: null }
  return {
    before: start < first ? { start, end: first } : null,
    days: last !== null && first === last ? null : { start: first, end: last },
    after: last !== null && last < end ? { start: last, end } : null
  }
}

/** Longer runs of days are read in steps, so that one report does not delay other requests by all of its rows. */
const step = 31 * day

/** The same days in steps, oldest first. The last one has no end where the days have none. */
export const stepsOf = ({ end, start }: Days, now: Instant.Instant): ReadonlyArray<Days> => {
  const last = end ?? now
  const starts = Array.from(
    { length: Math.max(1, Math.ceil((last - start) / step)) },
    (_, index) => start + index * step
  )
  return starts.map((from, index) => ({ start: from, end: starts[index + 1] ?? end }))
}
