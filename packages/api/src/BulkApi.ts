/** Submits many topics in one request. Each topic is accepted or rejected separately. */

import { approvingPersona } from "@partner-commentary/core/persona/TestPersonas"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ApiKeyAuth, RequiredPool, RequiredScope } from "./ApiKeyAuth.ts"
import { CreateTopic } from "./CreateTopic.ts"
import { Ok } from "./Envelope.ts"
import { InvalidRequest, NoValidPersonas, RateLimitExceeded } from "./Errors.ts"
import * as Fields from "./Fields.ts"
import { IdempotencyHeaders } from "./IdempotencyKey.ts"
import { Topic } from "./TopicsApi.ts"
import { topicsGroup } from "./TopicsGroup.ts"

export const maxTopics = 100

/** Maximum number of persona ids in all topics of one request together. */
export const maxBulkPersonas = 1000

const BulkTopics = Schema.Struct({
  topics: Schema.Array(CreateTopic)
    .check(
      Schema.isMinLength(1, { message: "must hold at least one topic" }),
      Schema.isMaxLength(maxTopics, { message: `must hold at most ${maxTopics} topics` })
    )
    .annotate({
      description: `Each as in POST /topics, at most ${maxBulkPersonas} persona ids in all. They are taken in this order.`,
      examples: [
        [
          { content: "Will the Lakers make the play-offs?", persona_ids: [approvingPersona.id] },
          { content: "Who wins the derby on Sunday?", persona_ids: [approvingPersona.id] }
        ]
      ]
    })
}).annotate({ identifier: "BulkTopics" })

const index = Fields.Count.annotate({ description: "The place of the topic in the request, from 0.", examples: [0] })

const BulkCreated = Schema.Struct({
  index,
  status: Schema.Literal("created").annotate({ description: "The topic was taken.", examples: ["created"] }),
  topic: Topic
}).annotate({ identifier: "BulkCreated" })

const BulkRefused = Schema.Struct({
  index,
  status: Schema.Literal("refused").annotate({
    description: "Nothing of the topic was stored.",
    examples: ["refused"]
  }),
  error: Schema.Union([
    InvalidRequest.fields.error,
    NoValidPersonas.fields.error,
    RateLimitExceeded.fields.error
  ]).annotate({
    description: "The `error` that POST /topics would have answered; fields are named as `topics[3].content`."
  })
}).annotate({ identifier: "BulkRefused" })

export const BulkResults = Schema.Struct({
  results: Schema.Array(Schema.Union([BulkCreated, BulkRefused])).annotate({
    description: "One for each topic, in the order of the request."
  })
}).annotate({ identifier: "BulkResults" })

export class BulkApi extends HttpApiGroup.make("bulk")
  .add(
    HttpApiEndpoint.post("create", "/topics/bulk", {
      headers: IdempotencyHeaders,
      payload: BulkTopics,
      success: Ok(BulkResults),
      error: RateLimitExceeded
    })
      .annotate(RequiredScope, "topics:submit")
      .annotate(RequiredPool, "large")
      .annotate(OpenApi.Identifier, "createTopics")
      .annotate(OpenApi.Summary, "Create many topics")
      .annotate(
        OpenApi.Description,
        "Creates up to 100 topics, each by itself: one that is refused leaves the others as they are. Each counts as one towards the limits of POST /topics. The body may have up to 4 MiB. With an `Idempotency-Key`, at most 200 answers a day may hold refusals alone."
      )
  )
  .annotateMerge(topicsGroup)
  .middleware(ApiKeyAuth) {}
