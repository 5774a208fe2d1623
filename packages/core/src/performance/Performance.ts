/**
 * How an organization's assignments of a period went: overall and by persona. Whole days are read as they were kept with each
 * change, so a report costs what days and personas it has, however much was sent. A part of a day, at the period's ends, is read
 * assignment by assignment, in small pages. A process makes one report for an organization at a time, and few in all.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type { OrganizationId, PersonaId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { Cursor } from "../shared/Page.ts"
import { add, addAll, type Figures, figures, newTally, type Tally } from "./Figures.ts"
import { PerformanceStore } from "./PerformanceStore.ts"
import { type AskedPeriod, type Days, divide, type ReportingPeriod, stepsOf } from "./ReportingPeriod.ts"

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

/** So many assignments are read one by one at most, for a part of a day. */
export const maxAssignments = 1_000_000

/** More assignments than `maxAssignments` were sent in a part of a day, at the period's beginning or end. */
export class PeriodTooFull extends Schema.TaggedError<PeriodTooFull>()("PeriodTooFull", {}) {}

/** A report for this organization is being made. */
export class ReportUnderWay extends Schema.TaggedError<ReportUnderWay>()("ReportUnderWay", {}) {}

export class Performance extends Context.Service<
  Performance,
  { readonly of: (owner: Owner, period: AskedPeriod) => Effect.Effect<Report, PeriodTooFull | ReportUnderWay> }
>()("@partner-commentary/core/performance/Performance") {
  static readonly layer = Layer.effect(
    Performance,
    Effect.gen(function* () {
      const store = yield* PerformanceStore
      const turn = yield* Semaphore.make(reportsAtOnce)
      const underWay = new Set<OrganizationId>()

      const see = (seen: Seen, personaId: PersonaId, name: string) => {
        const persona = seen.get(personaId) ?? { tally: newTally(), name }
        persona.name = name
        seen.set(personaId, persona)
        return persona.tally
      }

      const readDays = Effect.fnUntraced(function* (seen: Seen, owner: Owner, days: Days) {
        for (const { end, start } of stepsOf(days, yield* Instant.now)) {
          for (const { personaId, personaName, tally } of yield* store.days(owner, start, end)) {
            addAll(see(seen, personaId, personaName), tally)
          }
          yield* Effect.yieldNow
        }
      })

      const readPart = Effect.fnUntraced(function* (seen: Seen, owner: Owner, part: ReportingPeriod) {
        let count = 0
        let after: Cursor | null = null
        do {
          const page: Effect.Success<ReturnType<typeof store.page>> = yield* store.page(owner, part, after, pageSize)
          for (const course of page.courses) add(see(seen, course.personaId, course.personaName), course)
          count += page.courses.length
          if (count > maxAssignments) return yield* new PeriodTooFull()
          after = page.next
          yield* Effect.yieldNow
        } while (after !== null)
      })

      const report = Effect.fnUntraced(function* (owner: Owner, period: AskedPeriod) {
        const seen: Seen = new Map()
        const { after, before, days } = divide(period)
        if (before !== null) yield* readPart(seen, owner, before)
        if (days !== null) yield* readDays(seen, owner, days)
        if (after !== null) yield* readPart(seen, owner, after)
        const personas: Array<PersonaReport> = []
        for (const [id, { name, tally }] of seen) {
          personas.push({ id, name, ...figures(tally) })
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

/** By persona, with the name on the latest assignment seen. */
type Seen = Map<PersonaId, { readonly tally: Tally; name: string }>

/** So many topics: some milliseconds' worth of reading. */
const pageSize = 200

/** Others wait. Nobody has more than one, so nobody waits behind more than the other callers there are. */
const reportsAtOnce = 4

const byName = (one: PersonaReport, other: PersonaReport): number => {
  if (one.name !== other.name) return one.name < other.name ? -1 : 1
  return one.id < other.id ? -1 : 1
}
