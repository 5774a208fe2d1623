/** No assignment has this share id. */
import * as Schema from "effect/Schema"

export class AssignmentNotFound extends Schema.TaggedError<AssignmentNotFound>()("AssignmentNotFound", {}) {}
