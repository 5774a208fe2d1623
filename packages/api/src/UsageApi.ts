/** A partner's monthly usage and remaining quota. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ApiKeyAuth, RequiredScope } from "./ApiKeyAuth.ts"
import { Ok } from "./Envelope.ts"
import * as Fields from "./Fields.ts"
import { usageGroup } from "./UsageGroup.ts"

const count = (description: string, example: number) => Fields.Count.annotate({ description, examples: [example] })

export const Usage = Schema.Struct({
  period: Schema.Struct({
    start: Fields.Timestamp.annotate({
      description: "The first moment of the billing period, a calendar month in UTC.",
      examples: ["2026-01-01T00:00:00.000Z"]
    }),
    end: Fields.Timestamp.annotate({
      description: "The first moment of the next period, when quotas start anew.",
      examples: ["2026-02-01T00:00:00.000Z"]
    })
  }).annotate({ description: "The current billing period." }),
  usage: Schema.Struct({
    topics_created: count("Topics created in the period.", 42),
    commentaries_generated: count("Assignments whose first draft came in the period.", 96),
    api_calls: count("Authenticated requests in the period. May lag by five seconds.", 1830)
  }).annotate({ description: "What the period has seen so far." }),
  quotas: Schema.Struct({
    topics_per_month: count("Topics that may be created in a period.", 1000),
    commentaries_per_month: count("Commentaries that may be asked for in a period.", 5000),
    api_calls_per_hour: count("Requests that each key may make in an hour.", 1000)
  }).annotate({ description: "What the organization's plan and its own limits allow." }),
  remaining: Schema.Struct({
    topics: count("Topics that may still be created in the period.", 958),
    commentaries: count(
      "Commentaries that may still be asked for: each `sent` persona holds one, and gives it back when no commentary comes.",
      4904
    )
  }).annotate({
    description:
      "What is left of the monthly quotas. To a test key it counts as well, but nothing is refused in the test environment."
  })
}).annotate({ identifier: "Usage" })

export class UsageApi extends HttpApiGroup.make("usage")
  .add(
    HttpApiEndpoint.get("report", "/usage", { success: Ok(Usage) })
      .annotate(RequiredScope, "usage:read")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "getUsage",
          summary: "Usage and quotas",
          description:
            "What the organization has used of its billing period, a calendar month in UTC, and what is left of its quotas."
        })
      )
  )
  .annotateMerge(usageGroup)
  .middleware(ApiKeyAuth) {}
