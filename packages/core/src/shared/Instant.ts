/**
 * An instant is a time in milliseconds since 1970 UTC, like the times of Effect's Clock. The API and the database
 * represent an instant as ISO 8601 text of fixed width.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

export type Instant = number

/** Returns the current time of Effect's Clock. */
export const now = Clock.currentTimeMillis

/** Formats an instant, such as `2026-01-30T12:00:00.000Z`. */
// biome-ignore lint/style/noRestrictedGlobals: `Date` is the fastest formatter, and every row has several instants
export const toIso = (instant: Instant): string => new Date(instant).toISOString()

export const toIsoOrNull = (instant: Instant | null): string | null => (instant === null ? null : toIso(instant))

/** Parses a time in the format of `toIso`. */
// biome-ignore lint/style/noRestrictedGlobals: `Date` is the fastest parser of ISO instants
export const fromIso = (iso: string): Instant => Date.parse(iso)

/** `toIso` writes the years 0000 to 9999 with a fixed width, so instants must be within this range. */
const earliest = fromIso("0000-01-01T00:00:00.000Z")
export const latestInstant = fromIso("9999-12-31T23:59:59.999Z")

/** The direction in which a time that is finer than a millisecond becomes a whole millisecond. */
export type Rounding = "down" | "up"

/**
 * Parses a timestamp in ISO 8601 with a time zone. Returns none if the text is invalid. Stored times are whole
 * milliseconds, so parse a bound `>=` or `<` with `up`, and a bound `>` or `<=` with `down`.
 */
export const parse = (text: string, rounding: Rounding = "down"): Option.Option<Instant> =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/i.test(text) && isDay(text.slice(0, 10))
    ? DateTime.make(text).pipe(
        Option.map((moment) => moment.epochMilliseconds),
        Option.filter((moment) => moment >= earliest && moment <= latestInstant),
        Option.map((moment) =>
          rounding === "up" && isBetweenMilliseconds(text) ? Math.min(moment + 1, latestInstant) : moment
        )
      )
    : Option.none()

const isBetweenMilliseconds = (text: string): boolean => /\.\d{3}\d*[1-9]/.test(text)

/**
 * Returns whether the calendar has this day. The function checks the day, because `Date` would read 30 February as 2
 * March.
 */
const isDay = (day: string): boolean =>
  Option.exists(DateTime.make(`${day}T00:00:00Z`), (moment) => DateTime.formatIso(moment).startsWith(day))

/** Parses an HTTP date, such as `Fri, 30 Jan 2026 12:00:00 GMT`. Returns none if the date is invalid. */
export const fromHttpDate = (text: string): Option.Option<Instant> =>
  httpDate.test(text) ? Option.map(DateTime.make(text), ({ epochMilliseconds }) => epochMilliseconds) : Option.none()

const httpDate =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/

export const plus = (instant: Instant, duration: Duration.Duration): Instant => instant + Duration.toMillis(duration)

/**
 * Divides time since 1970 into periods of equal length, and returns the number of the period that contains the instant.
 */
export const calculatePeriodNumber = (instant: Instant, length: Duration.Duration): number =>
  Math.floor(instant / Duration.toMillis(length))

/** Returns the start of the UTC day that contains the instant. */
export const startOfDay = (instant: Instant): Instant => calculatePeriodNumber(instant, day) * Duration.toMillis(day)

const day = Duration.days(1)

/** Interpolates between two instants. `part` is a fraction from 0 to 1. */
export const interpolate = (from: Instant, to: Instant, part: number): Instant => Math.round(from + (to - from) * part)
