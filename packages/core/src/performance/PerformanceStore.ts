/** The port that tells how a period's assignments have gone. What is made of it is the Figures'. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { PersonaId, ShareId } from "../shared/Ids.ts"
import type { Cursor } from "../shared/Page.ts"
import type { Owner } from "../topic/TopicStore.ts"
import type { Course } from "./Figures.ts"
import type { ReportingPeriod } from "./ReportingPeriod.ts"

export class PerformanceStore extends Context.Service<
  PerformanceStore,
  {
    /**
     * The owner's assignments sent in the period, oldest first, ties by id: at most `limit` of them, behind the last one
     * of the page before. Costs what the page holds, however many there are before and after it.
     */
    readonly page: (
      owner: Owner,
      period: ReportingPeriod,
      after: Cursor | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Course>>
    /** What the personas of these assignments were called when they were sent. */
    readonly namesOn: (ids: ReadonlyArray<ShareId>) => Effect.Effect<ReadonlyMap<PersonaId, string>>
  }
>()("@partner-commentary/core/performance/PerformanceStore") {}
