/** The owner has no webhook with this id. */
import * as Schema from "effect/Schema"

export class WebhookNotFound extends Schema.TaggedError<WebhookNotFound>()("WebhookNotFound", {}) {}
