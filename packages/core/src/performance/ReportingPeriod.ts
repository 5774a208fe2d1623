/** Calculates the period of a report. */
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Instant from "../shared/Instant.ts"

export interface ReportingPeriod {
  /** The start of the period, inclusive. */
  readonly start: Instant.Instant
  /** The end of the period, exclusive. */
  readonly end: Instant.Instant
}

/** The period that a report uses. */
export interface RequestedPeriod extends ReportingPeriod {
  /** True if the period ends now. The report then includes everything sent so far. */
  readonly untilNow: boolean
}

/** Whole UTC days from `start` (inclusive) to `end` (exclusive). If `end` is null, the days have no end. */
export interface WholeDays {
  readonly start: Instant.Instant
  readonly end: Instant.Instant | null
}

/** The maximum length of a period, which is one leap year. */
export const longest = Duration.days(366)

/** The length of the default period. */
const usual = Duration.days(30)

/** The earliest valid start of a period. The service did not exist at that time. */
const earliest = Instant.fromIso("2000-01-01T00:00:00.000Z")

/**
 * `backwards`: the period's start is not before its end. `too_long`: the period is longer than `longest`. `too_early`:
 * a given time is before `earliest`.
 */
export class PeriodInvalid extends Schema.TaggedError<PeriodInvalid>()("PeriodInvalid", {
  reason: Schema.Literals(["backwards", "too_long", "too_early"])
}) {}

/**
 * Returns the period. By default, the period ends now and starts 30 days before its end, at the start of that UTC day.
 * The default start is never before `earliest`.
 */
export const resolvePeriod = (
  given: { readonly from: Instant.Instant | null; readonly to: Instant.Instant | null },
  now: Instant.Instant
): Result.Result<RequestedPeriod, PeriodInvalid> => {
  const end = given.to ?? now
  const start = given.from ?? Math.max(earliest, Instant.startOfDay(end - Duration.toMillis(usual)))
  if (end <= earliest || start < earliest) return Result.fail(new PeriodInvalid({ reason: "too_early" }))
  if (start >= end) return Result.fail(new PeriodInvalid({ reason: "backwards" }))
  if (end > Instant.plus(start, longest)) return Result.fail(new PeriodInvalid({ reason: "too_long" }))
  return Result.succeed({ start, end, untilNow: given.to === null })
}

const day = Duration.toMillis(Duration.days(1))

/** Splits the period into whole days and the partial days before and after them. */
export const dividePeriod = ({ end, start, untilNow }: RequestedPeriod) => {
  const first = Instant.startOfDay(start + day - 1)
  const last = untilNow ? null : Instant.startOfDay(end)
  if (last !== null && first > last) return { before: { start, end }, days: null, after: null }
  return {
    before: start < first ? { start, end: first } : null,
    days: last !== null && first === last ? null : { start: first, end: last },
    after: last !== null && last < end ? { start: last, end } : null
  }
}

/** The longest range of days that one query reads, so that a long report does not delay other requests. */
const step = 31 * day

/** Splits the days into steps, oldest first. If the days have no end, the last step has no end either. */
export const splitIntoSteps = ({ end, start }: WholeDays, now: Instant.Instant): ReadonlyArray<WholeDays> => {
  const last = end ?? now
  const starts = Array.from(
    { length: Math.max(1, Math.ceil((last - start) / step)) },
    (_, index) => start + index * step
  )
  return starts.map((from, index) => ({ start: from, end: starts[index + 1] ?? end }))
}
