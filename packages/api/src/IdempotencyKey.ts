/** The header by which a POST can be sent again without being done again. Every POST but a webhook's test takes it. */
import * as Schema from "effect/Schema"

/** As it is spelled for people; header names are the same in any letter case. */
export const idempotencyHeader = "Idempotency-Key"

/** On an answer that was given before. */
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
