/** Defines the operation with which a partner accepts an approved commentary for publication. */

import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ApiKeyAuth, RequiredScope } from "./ApiKeyAuth.ts"
import { SuccessEnvelope } from "./Envelope.ts"
import { NotFound } from "./Errors.ts"
import * as Fields from "./Fields.ts"
import { IdempotencyHeaders } from "./IdempotencyKey.ts"
import { TopicCommentaries } from "./TopicsApi.ts"
import { topicsGroupAnnotations } from "./TopicsGroup.ts"

/** A commentary with the id of its topic and the time of the partner's acceptance. */
export const PartnerApprovedCommentary = Schema.Struct({
  ...TopicCommentaries.fields.commentaries.value.fields,
  topic_id: Fields.Uuid.annotate({ description: "The id of the commentary's topic." }),
  share_id: Fields.Uuid.annotate({ description: "The assignment of the topic to this persona." }),
  partner_approved_at: Fields.Timestamp.annotate({
    description: "When your organization first accepted the commentary for publication. It never changes."
  })
}).annotate({
  identifier: "PartnerApprovedCommentary",
  description: "A commentary that the partner accepted for publication."
})

export class CommentariesApi extends HttpApiGroup.make("commentaries")
  .add(
    HttpApiEndpoint.post("approve", "/topics/:id/commentaries/:commentary_id/approve", {
      headers: IdempotencyHeaders,
      params: {
        id: Fields.Uuid.annotate({
          description: "The topic's id.",
          examples: ["019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"]
        }),
        commentary_id: Fields.Uuid.annotate({
          description: "The commentary's id, which the topic's responses contain after the creator approved it.",
          examples: ["019c0e1b-9d21-7000-8000-6b1f0c7e2a44"]
        })
      },
      success: SuccessEnvelope(PartnerApprovedCommentary),
      error: NotFound
    })
      .annotate(RequiredScope, "topics:submit")
      .annotate(OpenApi.Identifier, "approveCommentary")
      .annotate(OpenApi.Summary, "Accept a commentary for publication")
      .annotate(
        OpenApi.Description,
        "Records that your organization accepts an approved commentary for publication. No status changes. A repeated call changes nothing and returns the time of the first call. The response is 404 if the topic does not exist or has no approved commentary with this id."
      )
  )
  .annotateMerge(topicsGroupAnnotations)
  .middleware(ApiKeyAuth) {}
