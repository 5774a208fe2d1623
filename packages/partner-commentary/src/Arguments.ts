/**
 * Checks the arguments of `fetch`, `node` and `lambda` at run time, because callers without type checks may pass wrong
 * values.
 */
import * as Predicate from "effect/Predicate"
import { makeInvalidArgumentError, type PartnerCommentaryError } from "./PartnerCommentaryError.ts"

/**
 * Checks whether the argument is a web Request. A Request class of another library or realm is also accepted. The
 * request object of Node's HTTP server is rejected, because it contains no complete URL.
 */
export const checkWebRequest = (request: unknown): PartnerCommentaryError | undefined =>
  Predicate.hasProperty(request, "url") &&
  Predicate.isString(request.url) &&
  URL.canParse(request.url) &&
  Predicate.hasProperty(request, "method") &&
  Predicate.hasProperty(request, "headers")
    ? undefined
    : makeInvalidArgumentError("request", "The first argument must be a web-standard Request.")

/**
 * Checks the second argument of `fetch`, in which null means no context. A string instead of `{ address }` is rejected,
 * because the service would ignore the string and then not limit anonymous calls.
 */
export const checkRequestContext = (sent: unknown): PartnerCommentaryError | undefined =>
  sent === undefined || sent === null || Predicate.isObject(sent)
    ? undefined
    : makeInvalidArgumentError("sent", 'The second argument must be an object such as { address: "203.0.113.9" }.')

export const checkNodeRequestAndResponse = (request: unknown, response: unknown): PartnerCommentaryError | undefined =>
  Predicate.hasProperty(request, "socket") &&
  Predicate.hasProperty(response, "writeHead") &&
  Predicate.isFunction(response.writeHead)
    ? undefined
    : makeInvalidArgumentError(
        "request",
        "node takes the request and the response of Node's HTTP server, in this order."
      )

export const checkLambdaContext = (invocation: unknown): PartnerCommentaryError | undefined =>
  Predicate.hasProperty(invocation, "getRemainingTimeInMillis") &&
  Predicate.isFunction(invocation.getRemainingTimeInMillis)
    ? undefined
    : makeInvalidArgumentError("invocation", "lambda takes Lambda's context as its second argument.")
