/** Defines the request body for a new topic. */
import { approvingTestPersona } from "@partner-commentary/core/persona/TestPersonas"
import { externalReferencePattern, maxPersonasPerTopic, OutputType } from "@partner-commentary/core/topic/Topic"
import { maxWebhooksPerOwner } from "@partner-commentary/core/webhook/Webhook"
import * as Schema from "effect/Schema"
import { schemaKeywordsAnnotation } from "./Documented.ts"
import * as Fields from "./Fields.ts"

/** The constraint that a topic's external reference must satisfy. */
export const referenceConstraint =
  "must be 1 to 256 characters out of A-Z, a-z, 0-9, '-', '_', '.' and ':', and neither '.' nor '..'"

const uuidPattern = /^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$/

/**
 * The body of POST /topics. The service, not the schema, checks text lengths, because each deployment can configure the
 * lengths.
 */
export const CreateTopicBody = Schema.Struct({
  content: Schema.String.annotate({
    description:
      "The topic: a short question, statement or prompt. 10 to 500 characters (Unicode code points) after trimming; a length of 100 or less is always accepted. It must contain readable characters, and no control characters except tabs and line breaks.",
    examples: ["Will the Lakers make the play-offs this season?"],
    [schemaKeywordsAnnotation]: { minLength: 10, maxLength: 500 }
  }),
  persona_ids: Schema.Array(
    Schema.String.check(Schema.isPattern(uuidPattern, { message: "must be a UUID" })).annotate({
      format: "uuid",
      description: "A persona's id."
    })
  )
    .check(
      Schema.isMinLength(1, { message: "must hold at least one persona id" }),
      Schema.isMaxLength(maxPersonasPerTopic, { message: `must hold at most ${maxPersonasPerTopic} persona ids` })
    )
    .annotate({
      description:
        "The personas that receive the topic. Personas without an active license get the result `not_licensed`. A repeated id counts once.",
      examples: [[approvingTestPersona.id]]
    }),
  external_reference: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(externalReferencePattern, { message: referenceConstraint })).annotate({
      description:
        "Your own identifier, with which you can find the topic. It is case-sensitive. Several topics can have the same identifier.",
      examples: ["article-4711"]
    })
  ),
  output_types: Schema.optionalKey(
    Schema.Array(
      OutputType.annotate({
        message: "must be text, audio or video",
        description: "An output type.",
        examples: ["text"]
      })
    )
      .check(
        Schema.isMinLength(1, { message: "must name at least one output type" }),
        Schema.isMaxLength(3, { message: "must name each output type once at most" }).abort(),
        Schema.isUnique({ message: "must name each output type once at most" })
      )
      .annotate({
        description: "The output types of the commentary. The default is `text`, which is always produced.",
        examples: [["text"]]
      })
  ),
  metadata: Schema.optionalKey(
    Fields.Metadata.annotate({
      description:
        "Your own data, returned with the topic and in webhooks. At most 16 KiB as JSON, at most 32 levels deep."
    })
  ),
  webhook_ids: Schema.optionalKey(
    Schema.Array(
      Schema.String.check(Schema.isPattern(uuidPattern, { message: "must be a UUID" })).annotate({
        format: "uuid",
        description: "A webhook's id."
      })
    )
      .check(
        Schema.isMaxLength(maxWebhooksPerOwner, { message: `must hold at most ${maxWebhooksPerOwner} webhook ids` })
      )
      .annotate({
        description:
          "The webhooks that receive this topic's events. By default all of them do; with an empty list, none does. Each is a webhook of the key's environment. `GET /events` lists the events in any case.",
        examples: [["019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"]]
      })
  ),
  respond_by: Schema.optionalKey(
    Schema.String.annotate({
      format: "date-time",
      description:
        "The deadline for the creators' answers: ISO 8601 with a time zone, 1 hour to 14 days ahead. A deployment can set another limit than 14 days. By default creators have 48 hours from the delivery of the mail.",
      examples: ["2026-02-02T12:00:00.000Z"]
    })
  )
}).annotate({
  identifier: "CreateTopic",
  description: "The topic and its personas.",
  // The example of a new topic is valid for every caller at any time, because it contains no webhook and no deadline.
  examples: [
    {
      content: "Will the Lakers make the play-offs this season?",
      persona_ids: [approvingTestPersona.id],
      external_reference: "article-4711",
      output_types: ["text"],
      metadata: { article: "4711", section: "basketball" }
    }
  ]
})
