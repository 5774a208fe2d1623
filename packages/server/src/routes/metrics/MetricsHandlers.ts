/** Handles requests for GET /metrics/performance. */
import { CurrentPrincipal } from "@partner-commentary/api/ApiKeyAuth"
import { RateLimitExceeded, type RequestProblem } from "@partner-commentary/api/Errors"
import type { PerformanceReport } from "@partner-commentary/api/MetricsApi"
import { PartnerApi } from "@partner-commentary/api/PartnerApi"
import { toOwner } from "@partner-commentary/core/access/Ownership"
import type { DurationPercentiles } from "@partner-commentary/core/performance/Histogram"
import type { MetricsSummary } from "@partner-commentary/core/performance/Metrics"
import {
  maxAssignmentsPerPartialDay,
  type PerformanceReportData,
  PerformanceReporting
} from "@partner-commentary/core/performance/PerformanceReporting"
import {
  maxReportingPeriod,
  type ReportingPeriod,
  resolveReportingPeriod
} from "@partner-commentary/core/performance/ReportingPeriod"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { failWithInvalidRequest } from "../../http/Body.ts"
import * as Envelope from "../../http/Envelope.ts"
import * as QueryTime from "../../http/QueryTime.ts"

export const layer = HttpApiBuilder.group(
  PartnerApi,
  "metrics",
  Effect.fnUntraced(function* (handlers) {
    const performance = yield* PerformanceReporting
    return handlers.handle(
      "performance",
      Effect.fnUntraced(function* ({ query }) {
        const owner = toOwner(yield* CurrentPrincipal)
        const period = yield* readPeriod(query)
        const report = yield* Effect.catchTags(performance.create(owner, period), {
          PeriodTooFull: () => failWithInvalidRequest(...tooFull),
          ReportInProgress: () => Effect.fail(inProgress)
        })
        return Envelope.makeSuccessResponse(view(period, report))
      })
    )
  })
)

const inProgress = RateLimitExceeded.of(
  { retry_after: 5, limit: 1, remaining: 0 },
  "report of your organization at a time"
)

type Problems = readonly [RequestProblem, ...ReadonlyArray<RequestProblem>]

const both = (from: string, to: string): Problems => [
  { field: "from", constraint: from },
  { field: "to", constraint: to }
]

const days = Duration.toDays(maxReportingPeriod)

const problems = {
  backwards: both("must be before to, which is now unless it is given", "must be after from"),
  too_early: both("must not be before the year 2000", "must be after the year 2000 has begun"),
  too_long: both(`must be at most ${days} days before to`, `must be at most ${days} days after from`)
}

const tooFull = both(
  `must begin a period with at most ${maxAssignmentsPerPartialDay} requests; ask for a shorter one`,
  `must end a period with at most ${maxAssignmentsPerPartialDay} requests; ask for a shorter one`
)

const readPeriod = Effect.fnUntraced(function* (query: { readonly from?: string; readonly to?: string }) {
  const from = moment(query.from)
  const to = moment(query.to)
  const [first, ...rest] = [
    ...(from === undefined ? [notMoment("from")] : []),
    ...(to === undefined ? [notMoment("to")] : [])
  ]
  if (first !== undefined || from === undefined || to === undefined)
    return yield* failWithInvalidRequest(first ?? notMoment("from"), ...rest)
  const period = resolveReportingPeriod({ from, to }, yield* Instant.now)
  return Result.isSuccess(period) ? period.success : yield* failWithInvalidRequest(...problems[period.failure.reason])
})

/**
 * Parses a bound of the period. The start is inclusive, and the end is exclusive. Returns null when the parameter is
 * missing, and undefined when the parameter is invalid.
 */
const moment = (text: string | undefined): Instant.Instant | null | undefined =>
  text === undefined ? null : Option.getOrUndefined(QueryTime.parseQueryTime(text, "up"))

const notMoment = (field: string): RequestProblem => ({ field, constraint: QueryTime.timestampConstraint })

const view = (
  period: ReportingPeriod,
  { overall, personas }: PerformanceReportData
): typeof PerformanceReport.Type => ({
  period: { start: Instant.toIso(period.start), end: Instant.toIso(period.end) },
  overall: summary(overall),
  personas: personas.map((persona) => ({ persona_id: persona.id, persona_name: persona.name, ...summary(persona) }))
})

const summary = ({ approval, counts, generation, response }: MetricsSummary) => ({
  counts,
  response_time: inSeconds(response),
  generation_time: inSeconds(generation),
  approval_time: inSeconds(approval)
})

const inSeconds = ({ count, median, p90 }: DurationPercentiles) => ({
  count,
  median: seconds(median),
  p90: seconds(p90)
})

const seconds = (milliseconds: number | null): number | null => (milliseconds === null ? null : milliseconds / 1000)
