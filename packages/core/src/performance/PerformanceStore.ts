/** The port that tells how a period's assignments have gone. What is made of it is the Figures'. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { PersonaId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { Cursor } from "../shared/Page.ts"
import type { Course, Tally } from "./Figures.ts"
import type { ReportingPeriod } from "./ReportingPeriod.ts"

/** What was kept of one persona's assignments of some whole days. */
export interface KeptOfPersona {
  readonly personaId: PersonaId
  /** As it was on the latest of them. */
  readonly personaName: string
  readonly tally: Tally
}

export interface CoursePage {
  readonly courses: ReadonlyArray<Course>
  /** The last topic of the page, unless it was the last of all. */
  readonly next: Cursor | null
}

export class PerformanceStore extends Context.Service<
  PerformanceStore,
  {
    /**
     * What was kept of the owner's assignments sent on the days (UTC) from the one that begins at `start` on, and before `end`;
     * up to the last one there is where `end` is null. Costs what days and personas there are, however many assignments.
     */
    readonly days: (owner: Owner, start: Instant, end: Instant | null) => Effect.Effect<ReadonlyArray<KeptOfPersona>>
    /**
     * The assignments of the owner's topics sent in the period, oldest first, ties by id: of at most `limit` topics, behind the
     * last one of the page before. Costs what the page holds, however many there are before and after it.
     */
    readonly page: (
      owner: Owner,
      period: ReportingPeriod,
      after: Cursor | null,
      limit: number
    ) => Effect.Effect<CoursePage>
  }
>()("@partner-commentary/core/performance/PerformanceStore") {}
