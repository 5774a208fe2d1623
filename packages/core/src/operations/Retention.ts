/** The port that lets go of what is no longer needed. When that is, its caller says. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Instant } from "../shared/Instant.ts"

/**
 * Mails that were settled before, and recoveries, duplicate windows that closed before, answers that were kept until before, and events
 * from before with all their deliveries, held ones too.
 */
export interface Before {
  readonly mails: Instant
  readonly windows: Instant
  readonly answers: Instant
  readonly events: Instant
}

/** How many of each. */
export interface Gone {
  readonly mails: number
  readonly windows: number
  readonly answers: number
  readonly events: number
}

export class Retention extends Context.Service<
  Retention,
  {
    /** Deletes them, a few at a time: others go on writing. Safe to run, and to break off, at any time. */
    readonly purge: (before: Before) => Effect.Effect<Gone>
    /** What `purge` would delete now. Changes nothing, and keeps nobody waiting. */
    readonly count: (before: Before) => Effect.Effect<Gone>
  }
>()("@partner-commentary/core/operations/Retention") {}
