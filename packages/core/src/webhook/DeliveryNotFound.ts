/** The webhook has no delivery of this event, or the delivery was deleted. */
import * as Schema from "effect/Schema"

export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", {}) {}
