/** The port that lets go of what is no longer needed. When that is, its caller says. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Instant } from "../shared/Instant.ts"

export class Retention extends Context.Service<
  Retention,
  {
    /**
     * Deletes mails that were settled before `mails`, duplicate windows that closed before `windows`, answers that were kept
     * until before `answers`, and events from before `events` with all their deliveries, held ones too. Safe to run at any time.
     */
    readonly purge: (before: {
      readonly mails: Instant
      readonly windows: Instant
      readonly answers: Instant
      readonly events: Instant
    }) => Effect.Effect<{
      readonly mails: number
      readonly windows: number
      readonly answers: number
      readonly events: number
    }>
  }
>()("@partner-commentary/core/operations/Retention") {}
