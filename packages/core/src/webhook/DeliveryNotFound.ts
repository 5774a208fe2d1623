/** The webhook has no delivery of this event, or it was deleted. */
import * as Schema from "effect/Schema"

export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", {}) {}
