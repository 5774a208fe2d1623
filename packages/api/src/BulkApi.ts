/** Defines the operation that submits many topics in one request. Each topic is accepted or rejected separately. */

import { approvingTestPersona } from "@partner-commentary/core/persona/TestPersonas"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ApiKeyAuth, EndpointConcurrencyPool, RequiredScope } from "./ApiKeyAuth.ts"
import { CreateTopicBody } from "./CreateTopicBody.ts"
import { SuccessEnvelope } from "./Envelope.ts"
import { InvalidRequest, NoValidPersonas, RateLimitExceeded } from "./Errors.ts"
import * as Fields from "./Fields.ts"
import { IdempotencyHeaders } from "./IdempotencyKey.ts"
import { Topic } from "./TopicsApi.ts"
import { topicsGroupAnnotations } from "./TopicsGroup.ts"

export const maxBulkTopics = 100

/** The maximum number of persona ids in one request, counted over all topics. */
export const maxBulkPersonas = 1000

const BulkTopics = Schema.Struct({
  topics: Schema.Array(CreateTopicBody)
    .check(
      Schema.isMinLength(1, { message: "must hold at least one topic" }),
      Schema.isMaxLength(maxBulkTopics, { message: `must hold at most ${maxBulkTopics} topics` })
    )
    .annotate({
      description: `Each as in POST /topics, with at most ${maxBulkPersonas} persona ids in all. The service processes them in this order.`,
      examples: [
        [
          { content: "Will the Lakers make the play-offs?", persona_ids: [approvingTestPersona.id] },
          { content: "Who wins the derby on Sunday?", persona_ids: [approvingTestPersona.id] }
        ]
      ]
    })
}).annotate({ identifier: "BulkTopics" })

const index = Fields.Count.annotate({
  description: "The position of the topic in the request, starting at 0.",
  examples: [0]
})

const BulkCreated = Schema.Struct({
  index,
  status: Schema.Literal("created").annotate({ description: "The topic was created.", examples: ["created"] }),
  topic: Topic
}).annotate({ identifier: "BulkCreated" })

/** The errors of POST /topics that refuse one topic of a bulk request. */
export const bulkRefusals = [InvalidRequest, NoValidPersonas, RateLimitExceeded] as const

const BulkRefused = Schema.Struct({
  index,
  status: Schema.Literal("refused").annotate({
    description: "The topic was refused, and nothing was stored.",
    examples: ["refused"]
  }),
  error: Schema.Union(bulkRefusals.map(({ fields }) => fields.error)).annotate({
    description:
      "The `error` that POST /topics would have returned. Field names have a prefix, for example `topics[3].content`."
  })
}).annotate({ identifier: "BulkRefused" })

export const BulkResults = Schema.Struct({
  results: Schema.Array(Schema.Union([BulkCreated, BulkRefused])).annotate({
    description: "One result for each topic, in the order of the request."
  })
}).annotate({ identifier: "BulkResults" })

export class BulkApi extends HttpApiGroup.make("bulk")
  .add(
    HttpApiEndpoint.post("create", "/topics/bulk", {
      headers: IdempotencyHeaders,
      payload: BulkTopics,
      success: SuccessEnvelope(BulkResults),
      error: RateLimitExceeded
    })
      .annotate(RequiredScope, "topics:submit")
      .annotate(EndpointConcurrencyPool, "large")
      .annotate(OpenApi.Identifier, "createTopics")
      .annotate(OpenApi.Summary, "Create many topics")
      .annotate(
        OpenApi.Description,
        "Creates up to 100 topics independently: a refused topic does not affect the others. Each topic counts as one request towards the limits of POST /topics. The body can have up to 4 MiB. With an `Idempotency-Key`, at most 200 responses a day can contain only refusals."
      )
  )
  .annotateMerge(topicsGroupAnnotations)
  .middleware(ApiKeyAuth) {}
