/** The only failure that an application without Effect receives: from an option, a start or a use case. */
import { reasonOf } from "@partner-commentary/core/shared/Reason"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * Failures of use cases have the codes and details of the API. Three codes exist only in this package: `invalid_option`
 * with `details.field` is thrown when the option is passed. `invalid_argument` with `details.field` rejects a call of
 * `fetch`, `node`, `next` or `lambda`. `start_failed` rejects the start.
 */
export class PartnerCommentaryError extends Data.TaggedError("PartnerCommentaryError")<{
  readonly code: string
  /** One sentence for a person. It contains no secrets. */
  readonly message: string
  readonly details: object
  readonly cause?: unknown
}> {}

/** `constraint` is the message without the option's name, which comes first. */
export const invalidOption = (field: string, constraint: string): PartnerCommentaryError =>
  new PartnerCommentaryError({
    code: "invalid_option",
    message: `The option ${field} ${constraint}.`,
    details: { field, constraint }
  })

/** `message` is one whole sentence, and `field` is the name of the parameter. */
export const invalidArgument = (field: string, message: string): PartnerCommentaryError =>
  new PartnerCommentaryError({ code: "invalid_argument", message, details: { field } })

/** `what` is the subject of the sentence that ends with `cannot be used`. */
export const startFailed = (what: string, cause: unknown): PartnerCommentaryError =>
  cause instanceof PartnerCommentaryError
    ? cause
    : new PartnerCommentaryError({
        code: "start_failed",
        message: `${what} cannot be used: ${reasonOf(cause)}.`,
        details: {},
        cause
      })

/** Returns the layer with its failures converted to `start_failed`. */
export const explained = <A, E, R>(
  what: string,
  layer: Layer.Layer<A, E, R>
): Layer.Layer<A, PartnerCommentaryError, R> =>
  Layer.catch(layer, (error) => Layer.effectContext(Effect.fail(startFailed(what, error))))
