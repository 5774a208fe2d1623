/** The header that makes a POST idempotent. Every POST except a webhook's test accepts it. */
import * as Schema from "effect/Schema"

/** The header's name in conventional spelling. Header names are case-insensitive. */
export const idempotencyHeader = "Idempotency-Key"

/** The header of a response that was stored for an earlier request with the same key. */
export const replayedHeader = "idempotency-replayed"

const constraint = { message: "must be given once, as 1 to 255 visible ASCII characters without spaces" }

export const IdempotencyHeaders = Schema.Struct({
  "idempotency-key": Schema.optionalKey(
    Schema.String.check(
      Schema.isMinLength(1, constraint),
      Schema.isMaxLength(255, constraint),
      Schema.isPattern(/^[\x21-\x7e]*$/, constraint)
    ).annotate({
      description:
        "Makes it safe to send the request again: the same key with the same body gets the first answer again for 24 hours, with `Idempotency-Replayed: true`; with another body it is refused. Only successful answers are kept. Make a new one for each request that is none sent again: a random UUID is a good key."
    })
  )
})
export type IdempotencyHeaders = typeof IdempotencyHeaders.Type
