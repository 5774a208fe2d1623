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

/** A whole leap year. */
export const longest = Duration.days(366)

/** So far back where no start is given. */
export const usual = Duration.days(30)

/** The first moment that a period may have: the service saw none before it. */
export const earliest = Instant.fromIso("2000-01-01T00:00:00.000Z")

/** `backwards`: it does not start before it ends. `too_long`: longer than `longest`. `too_early`: what was given of it lies before `earliest`. */
export class PeriodInvalid extends Schema.TaggedError<PeriodInvalid>()("PeriodInvalid", {
  reason: Schema.Literals(["backwards", "too_long", "too_early"])
}) {}

/** Ends now and starts 30 days before its end, unless told otherwise; never before `earliest`. */
export const reportingPeriod = (
  given: { readonly from: Instant.Instant | null; readonly to: Instant.Instant | null },
  now: Instant.Instant
): Result.Result<ReportingPeriod, PeriodInvalid> => {
  const end = given.to ?? now
  const start = given.from ?? Math.max(earliest, end - Duration.toMillis(usual))
  if (end <= earliest || start < earliest) return Result.fail(new PeriodInvalid({ reason: "too_early" }))
  if (start >= end) return Result.fail(new PeriodInvalid({ reason: "backwards" }))
  if (end > Instant.plus(start, longest)) return Result.fail(new PeriodInvalid({ reason: "too_long" }))
  return Result.succeed({ start, end })
}
