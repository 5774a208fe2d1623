/**
 * Defines the report on a partner's requests to creators in a period: the outcomes of the requests and the duration of
 * each step.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ApiKeyAuth, RequiredScope } from "./ApiKeyAuth.ts"
import { SuccessEnvelope } from "./Envelope.ts"
import * as Fields from "./Fields.ts"
import { usageGroupAnnotations } from "./UsageGroup.ts"

const count = (description: string, example: number) => Fields.Count.annotate({ description, examples: [example] })

const Counts = Schema.Struct({
  sent: count("Requests sent to creators in the period: the sum of all other counts.", 42),
  pending: count("A commentary may still come.", 3),
  approved: count("The creator approved a commentary.", 28),
  declined: count("The creator declined.", 4),
  expired: count("The creator did not respond in time.", 5),
  generation_failed: count("No draft could be generated.", 0),
  approval_timeout: count("The creator did not approve in time.", 1),
  withdrawn: count("The creator withdrew.", 1),
  cancelled: count("Your organization cancelled the topic before the creator answered.", 0)
}).annotate({ identifier: "OutcomeCounts", description: "The number of requests by their current result." })

const Seconds = Schema.NullOr(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)).annotate({ examples: [5412.38] }))

const Spread = Schema.Struct({
  count: count("The number of requests that completed this step.", 30),
  median: Seconds.annotate({ description: "The median in seconds. Null if `count` is 0." }),
  p90: Seconds.annotate({ description: "The 90th percentile in seconds. Null if `count` is 0." })
}).annotate({
  identifier: "Spread",
  description:
    "Times in seconds, with milliseconds. Median and 90th percentile are nearest ranks: the smallest measured time that 50 % or 90 % of the times do not exceed. On days with many measurements, the values are accurate to 5 %."
})

const figures = {
  counts: Counts,
  response_time: Spread.annotate({
    identifier: "ResponseTime",
    description: "From the mail to the creator until the creator's opinion."
  }),
  generation_time: Spread.annotate({
    identifier: "GenerationTime",
    description: "From the creator's opinion until the first draft, including failed attempts."
  }),
  approval_time: Spread.annotate({
    identifier: "ApprovalTime",
    description: "From the first draft until the creator's approval, including further drafts."
  })
}

export const PerformanceReport = Schema.Struct({
  period: Schema.Struct({
    start: Fields.Timestamp.annotate({ description: "Requests sent from this time on." }),
    end: Fields.Timestamp.annotate({ description: "Requests sent before this time." })
  }).annotate({ identifier: "ReportingPeriod", description: "The requested period." }),
  overall: Schema.Struct(figures).annotate({
    identifier: "OverallPerformance",
    description: "All personas together."
  }),
  personas: Schema.Array(
    Schema.Struct({
      persona_id: Fields.Uuid.annotate({ description: "The persona's id." }),
      persona_name: Schema.String.annotate({
        description: "The persona's name as of its latest request in the period.",
        examples: ["Ada Vance"]
      }),
      ...figures
    }).annotate({ identifier: "PersonaPerformance" })
  ).annotate({ description: "Each persona with a request in the period, sorted by name." })
}).annotate({ identifier: "PerformanceReport" })

/** The query schema accepts any text, so that the service can report all problems in one response. */
const query = {
  from: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Requests sent from this time on: an ISO 8601 timestamp with a time zone, not before the year 2000. The default is the start (UTC) of the day 30 days before `to`.",
      format: "date-time",
      examples: ["2026-01-01T00:00:00Z"]
    })
  ),
  to: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Requests sent before this time: an ISO 8601 timestamp with a time zone, at most 366 days after `from`. The default is the current time.",
      format: "date-time",
      examples: ["2026-02-01T00:00:00Z"]
    })
  )
}

export class MetricsApi extends HttpApiGroup.make("metrics")
  .add(
    HttpApiEndpoint.get("performance", "/metrics/performance", { query, success: SuccessEnvelope(PerformanceReport) })
      .annotate(RequiredScope, "usage:read")
      .annotate(OpenApi.Identifier, "getPerformance")
      .annotate(OpenApi.Summary, "Performance of creators and generation")
      .annotate(
        OpenApi.Description,
        "Returns the results of the requests that were sent in a period, and the median and 90th percentile of the response, generation and approval times: overall and for each persona. The report covers the key's environment."
      )
  )
  .annotateMerge(usageGroupAnnotations)
  .middleware(ApiKeyAuth) {}
