/**
 * Generates a module with a short hash of the fields of the topic views. Computing the hash takes milliseconds, so the
 * hash is computed at generation instead of at each start of the service.
 */
import { createHash } from "node:crypto"
import { TopicCommentaries, TopicDetail, TopicList, TopicProgress } from "@partner-commentary/api/TopicsApi"
import * as Schema from "effect/Schema"

const shapes = JSON.stringify(
  [TopicProgress, TopicDetail, TopicCommentaries, TopicList].map((view) =>
    Schema.toJsonSchemaDocument(view as Schema.Top)
  )
)

const hash = createHash("sha256").update(shapes).digest("hex").slice(0, 8)

export const renderViewHashModule =
  () => `/** The hash changes when the fields of a view that has an entity tag change. Generated: npm run describe. */
export const viewFieldsHash = "${hash}"
`
