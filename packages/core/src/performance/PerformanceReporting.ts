/**
 * Creates performance reports. A report shows outcomes and durations of a period's assignments, overall and by persona.
 * A report reads whole days from daily metrics. For a part of a day, the report reads single assignments in small
 * pages.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type { OrganizationId, PersonaId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { PageCursor } from "../shared/Page.ts"
import {
  type AssignmentMetrics,
  addMetrics,
  addTimeline,
  type MetricsSummary,
  makeEmptyMetrics,
  summarizeMetrics
} from "./Metrics.ts"
import { PerformanceStore } from "./PerformanceStore.ts"
import {
  type ReportingPeriod,
  type RequestedReportingPeriod,
  splitDaysIntoQueryRanges,
  splitIntoDaysAndPartialDays,
  type UtcDayRange
} from "./ReportingPeriod.ts"

export interface PerformanceReportData {
  readonly overall: MetricsSummary
  /** The personas that have assignments in the period, sorted by name and then by id. */
  readonly personas: ReadonlyArray<PersonaPerformanceReport>
}

export interface PersonaPerformanceReport extends MetricsSummary {
  readonly id: PersonaId
  /** The persona's name in its latest assignment of the period. */
  readonly name: string
}

/** Maximum number of single assignments that a report reads for a part of a day. */
export const maxAssignmentsPerPartialDay = 1_000_000

/** The partial day at the start or end of the period has more than `maxAssignmentsPerPartialDay` assignments. */
export class PeriodTooFull extends Schema.TaggedError<PeriodTooFull>()("PeriodTooFull", {}) {}

/** Another report for this organization is already running. */
export class ReportInProgress extends Schema.TaggedError<ReportInProgress>()("ReportInProgress", {}) {}

export class PerformanceReporting extends Context.Service<
  PerformanceReporting,
  {
    readonly create: (
      owner: Owner,
      period: RequestedReportingPeriod
    ) => Effect.Effect<PerformanceReportData, PeriodTooFull | ReportInProgress>
  }
>()("@partner-commentary/core/performance/PerformanceReporting") {
  static readonly layer = Layer.effect(
    PerformanceReporting,
    Effect.gen(function* () {
      const store = yield* PerformanceStore
      const permits = yield* Semaphore.make(maxReports)
      const inFlight = new Set<OrganizationId>()

      const metricsOf = (byPersona: ByPersona, personaId: PersonaId, name: string) => {
        const persona = byPersona.get(personaId) ?? { metrics: makeEmptyMetrics(), name }
        persona.name = name
        byPersona.set(personaId, persona)
        return persona.metrics
      }

      const readDays = Effect.fnUntraced(function* (byPersona: ByPersona, owner: Owner, days: UtcDayRange) {
        for (const { end, start } of splitDaysIntoQueryRanges(days, yield* Instant.now)) {
          for (const { metrics, personaId, personaName } of yield* store.days(owner, start, end)) {
            addMetrics(metricsOf(byPersona, personaId, personaName), metrics)
          }
          yield* Effect.yieldNow
        }
      })

      const readPart = Effect.fnUntraced(function* (byPersona: ByPersona, owner: Owner, part: ReportingPeriod) {
        let count = 0
        let after: PageCursor | null = null
        do {
          const page: Effect.Success<ReturnType<typeof store.page>> = yield* store.page(owner, part, after, pageSize)
          for (const timeline of page.timelines) {
            addTimeline(metricsOf(byPersona, timeline.personaId, timeline.personaName), timeline)
          }
          count += page.timelines.length
          if (count > maxAssignmentsPerPartialDay) return yield* new PeriodTooFull()
          after = page.next
          yield* Effect.yieldNow
        } while (after !== null)
      })

      const report = Effect.fnUntraced(function* (owner: Owner, period: RequestedReportingPeriod) {
        const byPersona: ByPersona = new Map()
        const { after, before, days } = splitIntoDaysAndPartialDays(period)
        if (before !== null) yield* readPart(byPersona, owner, before)
        if (days !== null) yield* readDays(byPersona, owner, days)
        if (after !== null) yield* readPart(byPersona, owner, after)
        const personas: Array<PersonaPerformanceReport> = []
        const overall = makeEmptyMetrics()
        for (const [id, { metrics, name }] of byPersona) {
          personas.push({ id, name, ...summarizeMetrics(metrics) })
          addMetrics(overall, metrics)
          yield* Effect.yieldNow
        }
        return { overall: summarizeMetrics(overall), personas: personas.toSorted(byName) }
      })

      return PerformanceReporting.of({
        create: ({ environment, organizationId }, period) =>
          Effect.suspend((): Effect.Effect<PerformanceReportData, PeriodTooFull | ReportInProgress> => {
            if (inFlight.has(organizationId)) return Effect.fail(new ReportInProgress())
            inFlight.add(organizationId)
            return Effect.ensuring(
              permits.withPermit(report({ environment, organizationId }, period)),
              Effect.sync(() => inFlight.delete(organizationId))
            )
          })
      })
    })
  )
}

/** The metrics of each persona. The name of a persona comes from the latest assignment that the report has read. */
type ByPersona = Map<PersonaId, { readonly metrics: AssignmentMetrics; name: string }>

/** The number of topics in one page. Reading a page takes a few milliseconds. */
const pageSize = 200

/** Maximum number of concurrent reports of a process. While the maximum number of reports runs, a new report waits. */
const maxReports = 4

const byName = (one: PersonaPerformanceReport, other: PersonaPerformanceReport): number => {
  if (one.name !== other.name) return one.name < other.name ? -1 : 1
  return one.id < other.id ? -1 : 1
}
