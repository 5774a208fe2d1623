/** Defines the report about a partner's monthly usage and remaining quota. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ApiKeyAuth, RequiredScope } from "./ApiKeyAuth.ts"
import { SuccessEnvelope } from "./Envelope.ts"
import * as Fields from "./Fields.ts"
import { usageGroupAnnotations } from "./UsageGroup.ts"

const count = (description: string, example: number) => Fields.Count.annotate({ description, examples: [example] })

export const Usage = Schema.Struct({
  period: Schema.Struct({
    start: Fields.Timestamp.annotate({
      description: "The start of the billing period, a calendar month in UTC.",
      examples: ["2026-01-01T00:00:00.000Z"]
    }),
    end: Fields.Timestamp.annotate({
      description: "The start of the next period, when quotas are reset.",
      examples: ["2026-02-01T00:00:00.000Z"]
    })
  }).annotate({ description: "The current billing period." }),
  usage: Schema.Struct({
    topics_created: count("Topics created in the period.", 42),
    commentaries_generated: count("Assignments whose first draft was generated in the period.", 96),
    api_calls: count("Authenticated requests in the period. The count can be up to five seconds late.", 1830)
  }).annotate({ description: "The usage in the period so far." }),
  quotas: Schema.Struct({
    topics_per_month: count("Topics that can be created in a period.", 1000),
    commentaries_per_month: count("Commentaries that can be requested in a period.", 5000),
    api_calls_per_hour: count("Requests that each key can make in an hour.", 1000)
  }).annotate({ description: "The limits of the organization, from its plan or set individually." }),
  remaining: Schema.Struct({
    topics: count("Topics that can still be created in the period.", 958),
    commentaries: count(
      "Commentaries that can still be requested. Each `sent` persona reserves one, which returns to the quota if no commentary comes.",
      4904
    )
  }).annotate({
    description:
      "What is left of the monthly quotas. A test key gets these counts too, but no quota applies in the test environment."
  })
}).annotate({ identifier: "Usage" })

export class UsageApi extends HttpApiGroup.make("usage")
  .add(
    HttpApiEndpoint.get("report", "/usage", { success: SuccessEnvelope(Usage) })
      .annotate(RequiredScope, "usage:read")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "getUsage",
          summary: "Usage and quotas",
          description:
            "Returns the organization's usage in the billing period, a calendar month in UTC, and what is left of its quotas."
        })
      )
  )
  .annotateMerge(usageGroupAnnotations)
  .middleware(ApiKeyAuth) {}
