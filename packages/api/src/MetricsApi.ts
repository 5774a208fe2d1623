/** Results and durations of a partner's requests over a period. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ApiKeyAuth, RequiredScope } from "./ApiKeyAuth.ts"
import { Ok } from "./Envelope.ts"
import * as Fields from "./Fields.ts"
import { usageGroup } from "./UsageGroup.ts"

const count = (description: string, example: number) => Fields.Count.annotate({ description, examples: [example] })

const Counts = Schema.Struct({
  sent: count("Requests sent to creators in the period: the sum of all that follow.", 42),
  pending: count("More may still come.", 3),
  approved: count("The creator approved a commentary.", 28),
  declined: count("The creator declined.", 4),
  expired: count("The creator did not respond in time.", 5),
  generation_failed: count("No draft could be generated.", 0),
  approval_timeout: count("The creator did not approve in time.", 1),
  withdrawn: count("The creator withdrew.", 1),
  cancelled: count("Your organization cancelled the topic before the creator answered.", 0)
}).annotate({ identifier: "OutcomeCounts", description: "How many requests came to what, as of now." })

const Seconds = Schema.NullOr(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)).annotate({ examples: [5412.38] }))

const Spread = Schema.Struct({
  count: count("How many were measured: requests that have got so far.", 30),
  median: Seconds.annotate({ description: "Seconds that half of them did not exceed; null where `count` is 0." }),
  p90: Seconds.annotate({ description: "Seconds that 90 % of them did not exceed; null where `count` is 0." })
}).annotate({
  identifier: "Spread",
  description:
    "Times in seconds, with milliseconds. Median and 90th percentile are nearest ranks: the least of the measured times that 50 % or 90 % of them do not exceed. Where many were measured on a day, within 5 % of it."
})

const figures = {
  counts: Counts,
  response_time: Spread.annotate({
    identifier: "ResponseTime",
    description: "From the creator's mail to the creator's perspective."
  }),
  generation_time: Spread.annotate({
    identifier: "GenerationTime",
    description: "From the perspective to the first draft, failed attempts included."
  }),
  approval_time: Spread.annotate({
    identifier: "ApprovalTime",
    description: "From the first draft to the creator's approval, further drafts included."
  })
}

export const PerformanceReport = Schema.Struct({
  period: Schema.Struct({
    start: Fields.Timestamp.annotate({ description: "Requests sent from this moment on." }),
    end: Fields.Timestamp.annotate({ description: "Requests sent before this moment." })
  }).annotate({ identifier: "ReportingPeriod", description: "The period that was asked for." }),
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
  ).annotate({ description: "Each persona that was sent a request in the period, by name." })
}).annotate({ identifier: "PerformanceReport" })

/** Query values are decoded as text, and the service reports all problems at once. */
const query = {
  from: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Requests sent from this moment on: an ISO 8601 timestamp with a zone, from the year 2000 on. By default, the beginning (UTC) of the day 30 days before `to`.",
      format: "date-time",
      examples: ["2026-01-01T00:00:00Z"]
    })
  ),
  to: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Requests sent before this moment: an ISO 8601 timestamp with a zone, at most 366 days after `from`. Now by default.",
      format: "date-time",
      examples: ["2026-02-01T00:00:00Z"]
    })
  )
}

export class MetricsApi extends HttpApiGroup.make("metrics")
  .add(
    HttpApiEndpoint.get("performance", "/metrics/performance", { query, success: Ok(PerformanceReport) })
      .annotate(RequiredScope, "usage:read")
      .annotate(OpenApi.Identifier, "getPerformance")
      .annotate(OpenApi.Summary, "Performance of creators and generation")
      .annotate(
        OpenApi.Description,
        "What the requests sent in a period came to, and median and 90th percentile of the response, generation and approval times: overall, and for each persona. A key sees its own environment."
      )
  )
  .annotateMerge(usageGroup)
  .middleware(ApiKeyAuth) {}
