/** Documents each error code with an example, the meaning of its details, and advice for the client. */
import { approvingTestPersona } from "@partner-commentary/core/persona/TestPersonas"
import * as Context from "effect/Context"
import * as Errors from "./Errors.ts"

export type ErrorCode = keyof typeof Errors.httpStatusByErrorCode

export interface ErrorGuidance {
  readonly example: Errors.WireError
  readonly details: string
  readonly advice: string
}

/** The error examples of an endpoint, which replace the general examples of the same error codes. */
export class ExampleErrors extends Context.Service<ExampleErrors, ReadonlyArray<Errors.WireError>>()(
  "@partner-commentary/api/ErrorGuide/ExampleErrors"
) {}

/** The guide to all error codes. The compiler requires an entry for each error code. */
export const errorGuide: Readonly<Record<ErrorCode, ErrorGuidance>> = {
  invalid_request: {
    example: Errors.InvalidRequest.of([{ field: "request", constraint: "could not be read" }]),
    details:
      "`{field, constraint, errors}`: the first problem, and all of them as `[{field, constraint}]`. `field` is a path such as `persona_ids[2]`, a parameter, a header, or `body`.",
    advice:
      "Correct the request as `constraint` says. Do not retry it unchanged, except with status 408: then the request did not arrive completely in time, so send it again."
  },
  no_valid_personas: {
    example: Errors.NoValidPersonas.of([{ persona_id: approvingTestPersona.id, status: "not_licensed" }]),
    details:
      "`[{persona_id, status, duplicate_of?}]`: one result for each requested persona, in the order of the request.",
    advice: "Choose personas from `GET /personas`. For `duplicate`, fetch the earlier topic by `duplicate_of.topic_id`."
  },
  unauthorized: {
    example: Errors.Unauthorized.of(),
    details: "None.",
    advice:
      "Send the complete key in `X-Api-Key`. The endpoints for API keys need the dashboard's token instead, in `Authorization: Bearer`."
  },
  key_revoked: {
    example: Errors.KeyRevoked.of(),
    details: "None.",
    advice: "Use the key that replaced it, or create a new one."
  },
  key_expired: {
    example: Errors.KeyExpired.of(),
    details: "None.",
    advice: "Create a new key. An expired key cannot be rotated."
  },
  ip_restricted: {
    example: Errors.IpRestricted.of(),
    details: "None.",
    advice: "Call from an address on the key's list, or add your address to the list."
  },
  scope_denied: {
    example: Errors.ScopeDenied.of("topics:submit"),
    details: "None. The message names the scope.",
    advice: "Use a key with the operation's scope."
  },
  not_licensed: {
    example: Errors.NotLicensed.of(approvingTestPersona.id),
    details: "`{persona_id}`.",
    advice: "Request a license, or choose a persona from `GET /personas`."
  },
  not_found: {
    example: Errors.NotFound.of("Not found."),
    details: "None.",
    advice:
      "Check the id and the environment of the key: a live key has no access to test data, and a test key has no access to live data."
  },
  rate_limit_exceeded: {
    example: Errors.RateLimitExceeded.of({ retry_after: 42, limit: 1000, remaining: 0 }, "requests an hour"),
    details:
      "`{retry_after, limit, remaining}`, with `quota` when a monthly quota or the test environment's storage is used up. `retry_after` is in seconds.",
    advice:
      "Wait for `Retry-After` seconds, then send requests more slowly. With `details.quota`, do not retry automatically: a monthly quota is reset at the start of the next month, and test topics are deleted after 30 days."
  },
  internal_error: {
    example: Errors.InternalError.of("5f1c2a90-8d0e-4c4b-9a55-0f3f6f0d7e21"),
    details: "None. The message contains the request id.",
    advice:
      "Retry after a few seconds, with the same `Idempotency-Key` if the request had one. If the error persists, report the request id."
  }
}
