/** Defines the period of a performance report. */
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Instant from "../shared/Instant.ts"

export interface ReportingPeriod {
  /** The inclusive start of the period. */
  readonly start: Instant.Instant
  /** The exclusive end of the period. */
  readonly end: Instant.Instant
}

/** The period that a partner requested. */
export interface RequestedReportingPeriod extends ReportingPeriod {
  /** True if the period ends now and includes all assignments sent so far. */
  readonly untilNow: boolean
}

/** Whole UTC days from `start` (inclusive) to `end` (exclusive). If `end` is null, the range has no end. */
export interface UtcDayRange {
  readonly start: Instant.Instant
  readonly end: Instant.Instant | null
}

/** The longest allowed period: the length of a leap year. */
export const maxReportingPeriod = Duration.days(366)

/** The length of the default reporting period. */
const usual = Duration.days(30)

/** A period cannot start before the year 2000, because the service did not exist then. */
const earliest = Instant.fromIso("2000-01-01T00:00:00.000Z")

/**
 * `backwards`: the period's start is not before its end. `too_long`: the period is longer than `maxReportingPeriod`.
 * `too_early`: a given time is before `earliest`.
 */
export class PeriodInvalid extends Schema.TaggedError<PeriodInvalid>()("PeriodInvalid", {
  reason: Schema.Literals(["backwards", "too_long", "too_early"])
}) {}

/**
 * Returns the requested period. By default, a reporting period ends now. The default start is the start of the day 30
 * days before the end, but not before `earliest`.
 */
export const resolveReportingPeriod = (
  given: { readonly from: Instant.Instant | null; readonly to: Instant.Instant | null },
  now: Instant.Instant
): Result.Result<RequestedReportingPeriod, PeriodInvalid> => {
  const end = given.to ?? now
  const start = given.from ?? Math.max(earliest, Instant.startOfDay(end - Duration.toMillis(usual)))
  if (end <= earliest || start < earliest) return Result.fail(new PeriodInvalid({ reason: "too_early" }))
  if (start >= end) return Result.fail(new PeriodInvalid({ reason: "backwards" }))
  if (end > Instant.plus(start, maxReportingPeriod)) return Result.fail(new PeriodInvalid({ reason: "too_long" }))
  return Result.succeed({ start, end, untilNow: given.to === null })
}

const day = Duration.toMillis(Duration.days(1))

/** Splits a period into whole days, the part of a day before the whole days, and the part of a day after them. */
export const splitIntoDaysAndPartialDays = ({ end, start, untilNow }: RequestedReportingPeriod) => {
  const first = Instant.startOfDay(start + day - 1)
  const last = untilNow ? null : Instant.startOfDay(end)
  if (last !== null && first > last) return { before: { start, end }, days: null, after: null }
  return {
    before: start < first ? { start, end: first } : null,
    days: last !== null && first === last ? null : { start: first, end: last },
    after: last !== null && last < end ? { start: last, end } : null
  }
}

/** One query reads at most 31 days, so that a long report does not delay other requests. */
const step = 31 * day

/** Splits whole days into ranges of at most 31 days, oldest first. If `end` is null, the last range has no end. */
export const splitDaysIntoQueryRanges = (
  { end, start }: UtcDayRange,
  now: Instant.Instant
): ReadonlyArray<UtcDayRange> => {
  const last = end ?? now
  const starts = Array.from(
    { length: Math.max(1, Math.ceil((last - start) / step)) },
    (_, index) => start + index * step
  )
  return starts.map((from, index) => ({ start: from, end: starts[index + 1] ?? end }))
}
