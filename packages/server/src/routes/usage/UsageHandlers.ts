/** Handles requests about API usage. */
import { CurrentPrincipal } from "@partner-commentary/api/ApiKeyAuth"
import { ok } from "@partner-commentary/api/Envelope"
import { PartnerApi } from "@partner-commentary/api/PartnerApi"
import { toIso } from "@partner-commentary/core/shared/Instant"
import { type UsageReport, UsageReports } from "@partner-commentary/core/usage/UsageReports"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"

export const layer = HttpApiBuilder.group(
  PartnerApi,
  "usage",
  Effect.fnUntraced(function* (handlers) {
    const usage = yield* UsageReports
    return handlers.handle("report", () =>
      Effect.map(Effect.flatMap(CurrentPrincipal, usage.report), (report) => ok(toUsageReport(report)))
    )
  })
)

export const toUsageReport = ({ limits, period, remaining, seen }: UsageReport) => ({
  period: { start: toIso(period.start), end: toIso(period.end) },
  usage: {
    topics_created: seen.topics,
    commentaries_generated: seen.commentariesGenerated,
    api_calls: seen.apiCalls
  },
  quotas: {
    topics_per_month: limits.topics_per_month,
    commentaries_per_month: limits.commentaries_per_month,
    api_calls_per_hour: limits.requests_per_hour
  },
  remaining
})
