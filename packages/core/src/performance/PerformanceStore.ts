/** The port that reads the assignments of a period for performance reports. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { PersonaId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { Cursor } from "../shared/Page.ts"
import type { PersonaTimeline } from "./AssignmentTimeline.ts"
import type { Metrics } from "./Metrics.ts"
import type { ReportingPeriod } from "./ReportingPeriod.ts"

/** The sum of the daily metrics of one persona. */
export interface PersonaMetrics {
  readonly personaId: PersonaId
  /** The persona's name on the latest assignment of these days. */
  readonly personaName: string
  readonly metrics: Metrics
}

export interface TimelinePage {
  readonly timelines: ReadonlyArray<PersonaTimeline>
  /** The cursor of the page's last topic; null on the last page. */
  readonly next: Cursor | null
}

export class PerformanceStore extends Context.Service<
  PerformanceStore,
  {
    /**
     * Sums the metrics of the assignments sent on whole UTC days, from the day at `start` (inclusive) to `end`
     * (exclusive). If `end` is null, the sum includes all days until now. The cost grows with days and personas, not
     * with assignments.
     */
    readonly days: (owner: Owner, start: Instant, end: Instant | null) => Effect.Effect<ReadonlyArray<PersonaMetrics>>
    /**
     * Reads the assignments of at most `limit` topics after the cursor that were sent in the period, sorted by time and
     * then by id. The cost depends on the page's size, not on its position.
     */
    readonly page: (
      owner: Owner,
      period: ReportingPeriod,
      after: Cursor | null,
      limit: number
    ) => Effect.Effect<TimelinePage>
  }
>()("@partner-commentary/core/performance/PerformanceStore") {}
