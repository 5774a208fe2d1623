/** The port that reads the assignments of a period for performance reports. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { PersonaId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { PageCursor } from "../shared/Page.ts"
import type { AssignmentMetrics, AssignmentTimelineWithPersona } from "./Metrics.ts"
import type { ReportingPeriod } from "./ReportingPeriod.ts"

/** The sum of one persona's daily metrics. */
export interface PersonaMetrics {
  readonly personaId: PersonaId
  /** The persona's name in its latest assignment of these days. */
  readonly personaName: string
  readonly metrics: AssignmentMetrics
}

export interface AssignmentTimelinePage {
  readonly timelines: ReadonlyArray<AssignmentTimelineWithPersona>
  /** The cursor of the page's last topic; null on the last page. */
  readonly next: PageCursor | null
}

export class PerformanceStore extends Context.Service<
  PerformanceStore,
  {
    /**
     * Sums the metrics of assignments that were sent on whole UTC days. The first day starts at `start`. The last day
     * ends at `end`; if `end` is null, the last day is today. The cost of the query grows with the number of days and
     * personas, not with the number of assignments.
     */
    readonly days: (owner: Owner, start: Instant, end: Instant | null) => Effect.Effect<ReadonlyArray<PersonaMetrics>>
    /**
     * Reads the assignments of at most `limit` topics that were sent in the period and follow the cursor. Topics are
     * sorted by time, oldest first, and then by id. The cost of the query depends on the size of the page, not on the
     * page's position.
     */
    readonly page: (
      owner: Owner,
      period: ReportingPeriod,
      after: PageCursor | null,
      limit: number
    ) => Effect.Effect<AssignmentTimelinePage>
  }
>()("@partner-commentary/core/performance/PerformanceStore") {}
