/** The webhook has no delivery of this event, or none any more. */
import * as Schema from "effect/Schema"

export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", {}) {}
