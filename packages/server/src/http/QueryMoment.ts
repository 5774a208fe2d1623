/** Parses times in queries. */
import * as Instant from "@partner-commentary/core/shared/Instant"
import type * as Option from "effect/Option"

/** An unescaped `+` in a query arrives as a space, and a time contains no other spaces. */
export const parseQueryTime = (text: string): Option.Option<Instant.Instant> =>
  Instant.parse(text.replace(/ (?=\d\d:?\d\d$)/, "+"))

/** The `constraint` of the problem that a response reports for an invalid time. */
export const timestampConstraint = "must be an ISO 8601 timestamp with a zone, such as 2026-01-30T12:00:00Z"
