/** Parses times in query parameters. */
import * as Instant from "@partner-commentary/core/shared/Instant"
import type * as Option from "effect/Option"

/** Replaces the space before the time zone with `+`, because an unescaped `+` in a query arrives as a space. */
export const parseQueryTime = (text: string, rounding: Instant.Rounding): Option.Option<Instant.Instant> =>
  Instant.parse(text.replace(/ (?=\d\d:?\d\d$)/, "+"), rounding)

/** The constraint that a response reports for an invalid time in the query. */
export const timestampConstraint = "must be an ISO 8601 timestamp with a zone, such as 2026-01-30T12:00:00Z"
