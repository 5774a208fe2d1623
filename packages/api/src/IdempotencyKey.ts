/**
 * Defines the header that makes a POST request idempotent. Every POST operation except the webhook test accepts the
 * header `Idempotency-Key`.
 */
import * as Schema from "effect/Schema"

/** The conventional spelling of the header name. Header names are case-insensitive. */
export const idempotencyHeader = "Idempotency-Key"

/**
 * A response has the header `Idempotency-Replayed` when the response was stored for an earlier request with the same
 * idempotency key.
 */
export const idempotencyReplayedHeader = "idempotency-replayed"

const constraint = { message: "must be given once, as 1 to 255 visible ASCII characters without spaces" }

export const IdempotencyHeaders = Schema.Struct({
  "idempotency-key": Schema.optionalKey(
    Schema.String.check(
      Schema.isMinLength(1, constraint),
      Schema.isMaxLength(255, constraint),
      Schema.isPattern(/^[\x21-\x7e]*$/, constraint)
    ).annotate({
      description:
        "Makes the request safe to retry. For 24 hours, the same key with the same body gets the first response again, with `Idempotency-Replayed: true`; with another body it is refused. Only successful responses are stored. Use a new key, such as a random UUID, for each new request."
    })
  )
})
export type IdempotencyHeaders = typeof IdempotencyHeaders.Type
