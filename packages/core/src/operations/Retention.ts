/** The port that lets go of what is no longer needed. When that is, its caller says. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Instant } from "../shared/Instant.ts"

/**
 * Mails that were settled before, and recoveries, duplicate windows that closed before, answers that were kept until before, events
 * from before with all their deliveries, held ones too, and topics of the test environment from days (UTC) before that of the moment.
 */
export interface Before {
  readonly mails: Instant
  readonly windows: Instant
  readonly answers: Instant
  readonly events: Instant
  readonly testTopics: Instant
}

/** How many of each. */
export interface Gone {
  readonly mails: number
  readonly windows: number
  readonly answers: number
  readonly events: number
  readonly testTopics: number
}

export class Retention extends Context.Service<
  Retention,
  {
    /** Deletes them, a few at a time: others go on writing. Safe to run, and to break off, at any time. */
    readonly purge: (before: Before) => Effect.Effect<Gone>
    /**
     * Deletes one batch of what the test environment stored on days (UTC) before that of the moment: topics with everything that belongs
     * to them, then closed duplicate windows and answers that ended. Returns how many of these went; 0 when nothing is left. The live
     * environment's topics stay.
     */
    readonly purgeTests: (before: Instant) => Effect.Effect<number>
    /** What `purge` would delete now. Changes nothing, and keeps nobody waiting. */
    readonly count: (before: Before) => Effect.Effect<Gone>
  }
>()("@partner-commentary/core/operations/Retention") {}
