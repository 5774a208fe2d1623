/**
 * How an organization's assignments of a period went: overall and by persona. Reads the period once, in small pages, and
 * lets others have their turn between them: a long period takes long, and holds up nobody. A process makes one such report
 * for an organization at a time, and few in all. It costs a few microseconds for each assignment, and three numbers of memory.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type { OrganizationId, PersonaId, ShareId } from "../shared/Ids.ts"
import type { Cursor } from "../shared/Page.ts"
import type { Owner } from "../topic/TopicStore.ts"
import { add, type Figures, figures, newTally, type Tally } from "./Figures.ts"
import { PerformanceStore } from "./PerformanceStore.ts"
import type { ReportingPeriod } from "./ReportingPeriod.ts"

export interface Report {
  readonly overall: Figures
  /** By name, ties by id; those that were sent anything in the period. */
  readonly personas: ReadonlyArray<PersonaReport>
}

export interface PersonaReport extends Figures {
  readonly id: PersonaId
  /** As it was on the latest assignment of the period. */
  readonly name: string
}

/** So many assignments one report is made of at most. */
export const maxAssignments = 1_000_000

/** More assignments than `maxAssignments` were sent in the period. */
export class PeriodTooFull extends Schema.TaggedError<PeriodTooFull>()("PeriodTooFull", {}) {}

/** A report for this organization is being made. */
export class ReportUnderWay extends Schema.TaggedError<ReportUnderWay>()("ReportUnderWay", {}) {}

export class Performance extends Context.Service<
  Performance,
  { readonly of: (owner: Owner, period: ReportingPeriod) => Effect.Effect<Report, PeriodTooFull | ReportUnderWay> }
>()("@partner-commentary/core/performance/Performance") {
  static readonly layer = Layer.effect(
    Performance,
    Effect.gen(function* () {
      const store = yield* PerformanceStore
      const turn = yield* Semaphore.make(reportsAtOnce)
      const underWay = new Set<OrganizationId>()

      const read = Effect.fnUntraced(function* (owner: Owner, period: ReportingPeriod) {
        const seen = new Map<PersonaId, { readonly tally: Tally; latest: ShareId }>()
        let count = 0
        let after: Cursor | null = null
        do {
          const page: Effect.Success<ReturnType<typeof store.page>> = yield* store.page(owner, period, after, pageSize)
          for (const course of page) {
            const persona = seen.get(course.personaId) ?? { tally: newTally(), latest: course.id }
            add(persona.tally, course)
            persona.latest = course.id
            seen.set(course.personaId, persona)
          }
          count += page.length
          if (count > maxAssignments) return yield* new PeriodTooFull()
          after = page.length < pageSize ? null : (page.at(-1) ?? null)
          yield* Effect.yieldNow
        } while (after !== null)
        return seen
      })

      const names = Effect.fnUntraced(function* (latest: ReadonlyArray<ShareId>) {
        const all = new Map<PersonaId, string>()
        for (let from = 0; from < latest.length; from += pageSize) {
          for (const [id, name] of yield* store.namesOn(latest.slice(from, from + pageSize))) all.set(id, name)
        }
        return all
      })

      const report = Effect.fnUntraced(function* (owner: Owner, period: ReportingPeriod) {
        const seen = yield* read(owner, period)
        const nameOf = yield* names([...seen.values()].map(({ latest }) => latest))
        const personas: Array<PersonaReport> = []
        for (const [id, { tally }] of seen) {
          personas.push({ id, name: nameOf.get(id) ?? "", ...figures(tally) })
          yield* Effect.yieldNow
        }
        return {
          overall: figures(...[...seen.values()].map(({ tally }) => tally)),
          personas: personas.toSorted(byName)
        }
      })

      return Performance.of({
        of: ({ environment, organizationId }, period) =>
          Effect.suspend((): Effect.Effect<Report, PeriodTooFull | ReportUnderWay> => {
            if (underWay.has(organizationId)) return Effect.fail(new ReportUnderWay())
            underWay.add(organizationId)
            return Effect.ensuring(
              turn.withPermit(report({ environment, organizationId }, period)),
              Effect.sync(() => underWay.delete(organizationId))
            )
          })
      })
    })
  )
}

/** Some milliseconds' worth of reading. */
const pageSize = 500

/** Others wait. Nobody has more than one, so nobody waits behind more than the other callers there are. */
const reportsAtOnce = 4

const byName = (one: PersonaReport, other: PersonaReport): number => {
  if (one.name !== other.name) return one.name < other.name ? -1 : 1
  return one.id < other.id ? -1 : 1
}
