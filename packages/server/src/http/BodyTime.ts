/** Parses times in request bodies. Schemas accept any text as a time, so that one response can report all problems. */
import type { RequestProblem } from "@partner-commentary/api/Errors"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"

/** Returns null for a text that is not a valid time. `rounding` is described at `Instant.parse`. */
export const parseBodyTime = (text: string, rounding?: Instant.Rounding): Instant.Instant | null =>
  Option.getOrNull(Instant.parse(text, rounding))

/**
 * Returns a problem for a text that is not a valid time. Ignores values that are not text, because the schema already
 * rejects such values.
 */
export const findBodyTimeProblems = (field: string, value: unknown): ReadonlyArray<RequestProblem> =>
  Predicate.isString(value) && parseBodyTime(value) === null
    ? [{ field, constraint: "must be an ISO 8601 moment with a time zone, such as 2026-01-30T12:00:00Z" }]
    : []
