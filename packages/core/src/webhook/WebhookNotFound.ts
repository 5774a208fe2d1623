/** No webhook has this id, or the webhook belongs to another owner. */
import * as Schema from "effect/Schema"

export class WebhookNotFound extends Schema.TaggedError<WebhookNotFound>()("WebhookNotFound", {}) {}
