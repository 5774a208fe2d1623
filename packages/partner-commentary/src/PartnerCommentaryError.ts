/** Defines the error class of this package, for invalid options, failed starts and failed use cases. */
import { formatErrorWithCauses } from "@partner-commentary/core/shared/Reason"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * Errors of use cases have the codes and details of the API. Four error codes exist only in this package. An invalid
 * option throws `invalid_option`, and an invalid argument of a handler rejects with `invalid_argument`. The details of
 * `invalid_option` and `invalid_argument` contain the `field`. A failed start rejects with `start_failed`. A call that
 * the stop of the service interrupts or that is made after the stop rejects with `stopped`.
 */
export class PartnerCommentaryError extends Data.TaggedError("PartnerCommentaryError")<{
  readonly code: string
  /** One readable sentence, which contains no secrets. */
  readonly message: string
  readonly details: object
  readonly cause?: unknown
}> {}

/** Creates the error for an invalid option. The message consists of the option's name and `constraint`. */
export const makeInvalidOptionError = (field: string, constraint: string): PartnerCommentaryError =>
  new PartnerCommentaryError({
    code: "invalid_option",
    message: `The option ${field} ${constraint}.`,
    details: { field, constraint }
  })

/**
 * Creates the error for an invalid argument of a handler. `message` is a complete sentence, and `field` is the name of
 * the parameter.
 */
export const makeInvalidArgumentError = (field: string, message: string): PartnerCommentaryError =>
  new PartnerCommentaryError({ code: "invalid_argument", message, details: { field } })

/** Creates the error of a failed start. `what` is the subject of the sentence that ends with `cannot be used`. */
export const makeStartFailedError = (what: string, cause: unknown): PartnerCommentaryError =>
  cause instanceof PartnerCommentaryError
    ? cause
    : new PartnerCommentaryError({
        code: "start_failed",
        message: `${what} cannot be used: ${formatErrorWithCauses(cause)}.`,
        details: {},
        cause
      })

/** Creates the error of a call that the stop of the service interrupts or that is made after the stop. */
export const makeStoppedError = (message: string): PartnerCommentaryError =>
  new PartnerCommentaryError({ code: "stopped", message, details: {} })

export const isStoppedError = (error: unknown): boolean =>
  error instanceof PartnerCommentaryError && error.code === "stopped"

/** Converts the failures of a layer to errors with the code `start_failed`. */
export const mapToStartError = <A, E, R>(
  what: string,
  layer: Layer.Layer<A, E, R>
): Layer.Layer<A, PartnerCommentaryError, R> =>
  Layer.catch(layer, (error) => Layer.effectContext(Effect.fail(makeStartFailedError(what, error))))
