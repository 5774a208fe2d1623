/** There is no webhook of this id, or it is somebody else's. */
import * as Schema from "effect/Schema"

export class WebhookNotFound extends Schema.TaggedError<WebhookNotFound>()("WebhookNotFound", {}) {}
