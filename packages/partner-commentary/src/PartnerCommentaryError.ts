/** The one failure that an application without Effect meets: an option, a start or a use case. */
import { reasonOf } from "@partner-commentary/core/shared/Reason"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * Use cases fail with the wire's codes and details. Two codes are this package's own: `invalid_option` with `details.field`, thrown
 * where an option is given, and `start_failed`, a rejection of the start.
 */
export class PartnerCommentaryError extends Data.TaggedError("PartnerCommentaryError")<{
  readonly code: string
  /** One sentence for a person, without secrets. */
  readonly message: string
  readonly details: object
  readonly cause?: unknown
}> {}

/** `constraint` reads on after the option's name. */
export const invalidOption = (field: string, constraint: string): PartnerCommentaryError =>
  new PartnerCommentaryError({
    code: "invalid_option",
    message: `The option ${field} ${constraint}.`,
    details: { field, constraint }
  })

/** `what` reads on before `cannot be used`. */
export const startFailed = (what: string, cause: unknown): PartnerCommentaryError =>
  cause instanceof PartnerCommentaryError
    ? cause
    : new PartnerCommentaryError({
        code: "start_failed",
        message: `${what} cannot be used: ${reasonOf(cause)}.`,
        details: {},
        cause
      })

/** The layer, whose failures are those of a start. */
export const explained = <A, E, R>(
  what: string,
  layer: Layer.Layer<A, E, R>
): Layer.Layer<A, PartnerCommentaryError, R> =>
  Layer.catch(layer, (error) => Layer.effectContext(Effect.fail(startFailed(what, error))))
