/**
 * Defines all errors of the API, each with code, status and details, in the error envelope. The server maps errors of
 * the core to these errors.
 */
import { approvingTestPersona } from "@partner-commentary/core/persona/TestPersonas"
import * as Schema from "effect/Schema"
import { makeTextSchema } from "./Documented.ts"
import * as Fields from "./Fields.ts"

/** The HTTP status of each error code. The keys of `httpStatusByErrorCode` define all error codes. */
export const httpStatusByErrorCode = {
  invalid_request: 400,
  no_valid_personas: 400,
  unauthorized: 401,
  key_revoked: 401,
  key_expired: 401,
  ip_restricted: 401,
  scope_denied: 401,
  not_licensed: 403,
  not_found: 404,
  rate_limit_exceeded: 429,
  internal_error: 500
} as const

/**
 * One problem of a request. `field` is a path such as `persona_ids[2]`. `constraint` is the rule that the value breaks.
 */
export const RequestProblem = Schema.Struct({
  field: Schema.String.annotate({
    description: "The path of the field in the body, or the name of the parameter.",
    examples: ["persona_ids[2]"]
  }),
  constraint: Schema.String.annotate({ description: "What a valid value must satisfy.", examples: ["must be a UUID"] })
}).annotate({ identifier: "Problem", description: "A problem in the request." })
export type RequestProblem = typeof RequestProblem.Type

const failed = Schema.Literal(false).annotate({ description: "False for every error." })

const makeErrorFields = <const Code extends string>(code: Code) => ({
  code: Schema.Literal(code).annotate({ description: "The error code for your program. Its meaning never changes." }),
  message: makeTextSchema(
    "An explanation for people, in one sentence. The text may change.",
    "A description of the error, in one sentence."
  )
})

/** The description of each error code. */
const meaning = {
  invalid_request: "The body or a parameter is invalid.",
  no_valid_personas: "The topic could not be sent to any of the requested personas. Nothing was stored.",
  unauthorized: "The API key, or the dashboard's token, is missing or invalid.",
  key_revoked: "The API key was revoked.",
  key_expired: "The API key has expired.",
  ip_restricted: "The API key cannot be used from this address.",
  scope_denied: "The API key does not have the scope that the operation requires.",
  not_licensed: "The organization has no active license for the persona.",
  not_found: "The resource does not exist.",
  rate_limit_exceeded: "A rate limit, a monthly quota or the test environment's storage is used up.",
  internal_error: "The service failed. The message contains the request id."
} satisfies Record<keyof typeof httpStatusByErrorCode, string>

/** Returns a unique schema name, because the error schemas of one response need different names. */
const makeSchemaAnnotations = (code: keyof typeof httpStatusByErrorCode) => ({
  identifier: `${code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Error`,
  description: meaning[code]
})

const body = <const Code extends keyof typeof httpStatusByErrorCode>(code: Code) => ({
  success: failed,
  error: Schema.Struct(makeErrorFields(code)).annotate(makeSchemaAnnotations(code))
})

const bodyWith = <const Code extends keyof typeof httpStatusByErrorCode, Details extends Schema.Top>(
  code: Code,
  details: Details
) => ({
  success: failed,
  error: Schema.Struct({ ...makeErrorFields(code), details }).annotate(makeSchemaAnnotations(code))
})

const answeredAs = (code: keyof typeof httpStatusByErrorCode) => ({
  httpApiStatus: httpStatusByErrorCode[code],
  description: meaning[code]
})

export class InvalidRequest extends Schema.Error<InvalidRequest>("InvalidRequest")(
  bodyWith(
    "invalid_request",
    Schema.Struct({
      ...RequestProblem.fields,
      errors: Schema.Array(RequestProblem).annotate({ description: "All problems, including the first, at most 100." })
    }).annotate({ description: "The first problem, and the list of all problems." })
  ),
  answeredAs("invalid_request")
) {
  /**
   * Creates the error for the problems of a request. The top level of the details contains the first problem, and
   * `errors` contains all problems.
   */
  static of(problems: readonly [RequestProblem, ...ReadonlyArray<RequestProblem>]): InvalidRequest {
    const [first] = problems
    return new InvalidRequest({
      success: false,
      error: {
        code: "invalid_request",
        message: `Invalid request: ${first.field} ${first.constraint}.`,
        details: { ...first, errors: problems }
      }
    })
  }
}

/**
 * The response to a request that does not arrive completely in time. A request that times out has the error code
 * `invalid_request`, but the status is 408, because proxies react to the status.
 */
export const requestTimeoutResponse = {
  status: 408,
  error: InvalidRequest.of([{ field: "request", constraint: "must arrive completely within the time limit" }])
} as const

/**
 * A response with the same error code as status 500, which is `internal_error`. Proxies and clients react to the status
 * code, and wait for the time in `Retry-After`.
 */
const makeUnavailableResponse = (state: string) =>
  ({
    status: 503,
    retryAfter: 1,
    of: (requestId: string): InternalError =>
      new InternalError({
        success: false,
        error: {
          code: "internal_error",
          message: `The service is ${state}. Try again in a second. If the error persists, please report the request id ${requestId}.`
        }
      })
  }) as const

/** The response when no database connection became free in time. */
export const serviceBusyResponse = makeUnavailableResponse("busy")

/** The response of a service that stops or has stopped. Another process, or the same process later, may answer. */
export const serviceStoppedResponse = makeUnavailableResponse("stopping")

const ResultStatus = Schema.Literals(["sent", "not_licensed", "duplicate"]).annotate({ examples: ["sent"] })

/** The result of a submission for one requested persona. */
export const SubmissionResult = Schema.Struct({
  persona_id: Fields.PersonaId,
  status: ResultStatus.annotate({
    description:
      "`sent`: the topic goes to the creator; `not_licensed`: your organization has no active license; `duplicate`: the same topic was already sent within 24 hours (in the test environment within 60 seconds)."
  }),
  share_id: Schema.optionalKey(
    Schema.String.annotate({
      format: "uuid",
      description: "The id of the assignment of the topic to this persona. Only with the status `sent`.",
      examples: ["019c0e1b-7c51-7000-8000-94d0b7f3a6e2"]
    })
  ),
  duplicate_of: Schema.optionalKey(
    Schema.Struct({
      topic_id: Fields.TopicId.annotate({ description: "The earlier topic." }),
      share_id: Fields.ShareId.annotate({ description: "The id of the persona's assignment in the earlier topic." })
    }).annotate({
      identifier: "DuplicateOf",
      description: "The earlier assignment with the same content. Only with the status `duplicate`."
    })
  )
}).annotate({
  identifier: "SubmissionResult",
  description: "The result for one requested persona.",
  examples: [
    {
      persona_id: approvingTestPersona.id,
      status: "sent",
      share_id: "019c0e1b-7c51-7000-8000-94d0b7f3a6e2"
    }
  ]
})

export class NoValidPersonas extends Schema.Error<NoValidPersonas>("NoValidPersonas")(
  bodyWith(
    "no_valid_personas",
    Schema.Array(SubmissionResult).annotate({
      description: "One result for each requested persona, in the order of the request."
    })
  ),
  answeredAs("no_valid_personas")
) {
  static of(details: ReadonlyArray<typeof SubmissionResult.Type>): NoValidPersonas {
    return new NoValidPersonas({
      success: false,
      error: {
        code: "no_valid_personas",
        message: "The topic could not be sent to any of the requested personas.",
        details
      }
    })
  }
}

export class Unauthorized extends Schema.Error<Unauthorized>("Unauthorized")(
  body("unauthorized"),
  answeredAs("unauthorized")
) {
  static of(message = "The API key is missing or invalid. Send it as X-Api-Key: KEY."): Unauthorized {
    return new Unauthorized({ success: false, error: { code: "unauthorized", message } })
  }
}

export class KeyRevoked extends Schema.Error<KeyRevoked>("KeyRevoked")(body("key_revoked"), answeredAs("key_revoked")) {
  static of(): KeyRevoked {
    return new KeyRevoked({ success: false, error: { code: "key_revoked", message: "The API key was revoked." } })
  }
}

export class KeyExpired extends Schema.Error<KeyExpired>("KeyExpired")(body("key_expired"), answeredAs("key_expired")) {
  static of(): KeyExpired {
    return new KeyExpired({ success: false, error: { code: "key_expired", message: "The API key has expired." } })
  }
}

export class IpRestricted extends Schema.Error<IpRestricted>("IpRestricted")(
  body("ip_restricted"),
  answeredAs("ip_restricted")
) {
  static of(): IpRestricted {
    return new IpRestricted({
      success: false,
      error: { code: "ip_restricted", message: "The API key cannot be used from this address." }
    })
  }
}

export class ScopeDenied extends Schema.Error<ScopeDenied>("ScopeDenied")(
  body("scope_denied"),
  answeredAs("scope_denied")
) {
  static of(scope: string): ScopeDenied {
    return new ScopeDenied({
      success: false,
      error: { code: "scope_denied", message: `The API key lacks the scope ${scope}.` }
    })
  }
}

export class NotLicensed extends Schema.Error<NotLicensed>("NotLicensed")(
  bodyWith(
    "not_licensed",
    Schema.Struct({ persona_id: Fields.PersonaId }).annotate({ description: "The persona without a license." })
  ),
  answeredAs("not_licensed")
) {
  static of(personaId: string): NotLicensed {
    return new NotLicensed({
      success: false,
      error: {
        code: "not_licensed",
        message: "Your organization has no active license for this persona.",
        details: { persona_id: personaId }
      }
    })
  }
}

export class NotFound extends Schema.Error<NotFound>("NotFound")(body("not_found"), answeredAs("not_found")) {
  static of(message: string): NotFound {
    return new NotFound({ success: false, error: { code: "not_found", message } })
  }
}

/**
 * A malformed id, an unknown topic and another owner's topic get the same response, so callers cannot distinguish them.
 */
export const topicNotFound = NotFound.of("Topic not found.")

/** A malformed id and an unknown persona get the same response, so callers cannot distinguish them. */
export const personaNotFound = NotFound.of("Persona not found.")

/** The response for an unknown commentary of a topic that belongs to the caller. */
export const commentaryNotFound = NotFound.of("Commentary not found.")

/**
 * A malformed id, an unknown webhook and another owner's webhook get the same response, so callers cannot distinguish
 * them.
 */
export const webhookNotFound = NotFound.of("Webhook not found.")

/** The response for an unknown delivery of a webhook that belongs to the caller. */
export const deliveryNotFound = NotFound.of("Delivery not found.")

/**
 * A malformed id, an unknown key and another organization's key get the same response, so callers cannot distinguish
 * them.
 */
export const apiKeyNotFound = NotFound.of("API key not found.")

export class RateLimitExceeded extends Schema.Error<RateLimitExceeded>("RateLimitExceeded")(
  bodyWith(
    "rate_limit_exceeded",
    Schema.Struct({
      retry_after: Fields.makeCountSchema("The number of seconds to wait, as in `Retry-After`.", 42),
      limit: Fields.makeCountSchema("The limit.", 1000),
      remaining: Fields.makeCountSchema("How much of the limit is left.", 0),
      quota: Schema.optionalKey(
        makeTextSchema(
          "The monthly quota that is used up, or in the test environment `test_topics` or `test_bytes`. If present, do not retry automatically.",
          "topics_per_month"
        )
      )
    }).annotate({ description: "The limit and the time to wait." })
  ),
  answeredAs("rate_limit_exceeded")
) {
  /**
   * Creates the error for an organization whose concurrency permits are all in use. A lack of concurrency permits does
   * not mean that a rate window is full.
   */
  static busy(message: string, limit: number): RateLimitExceeded {
    return RateLimitExceeded.saying(message, { retry_after: 1, limit, remaining: 0 })
  }

  /** Creates the error for a used-up limit. `counted` is the counted unit, such as `requests a minute`. */
  static of(
    details: {
      readonly retry_after: number
      readonly limit: number
      readonly remaining: number
      readonly quota?: string
    },
    counted = "requests"
  ): RateLimitExceeded {
    const message =
      details.quota === undefined
        ? `The rate limit of ${details.limit} ${counted} is used up. Try again in ${details.retry_after} seconds.`
        : `The monthly quota ${details.quota} of ${details.limit} has ${details.remaining} left, which is not enough. It is reset at the start of the next month; do not retry automatically.`
    return RateLimitExceeded.saying(message, details)
  }

  /** Creates the error for an organization whose storage in the test environment is full. */
  static ofTests(details: RateLimitExceeded["error"]["details"]): RateLimitExceeded {
    const stored = details.quota === "test_topics" ? "topics" : "bytes"
    return RateLimitExceeded.saying(
      `The test environment stores at most ${details.limit} ${stored} for an organization, and ${details.remaining} are left, which is not enough. Test topics are deleted after their retention; do not retry automatically.`,
      details
    )
  }

  private static saying(message: string, details: RateLimitExceeded["error"]["details"]): RateLimitExceeded {
    return new RateLimitExceeded({ success: false, error: { code: "rate_limit_exceeded", message, details } })
  }
}

export class InternalError extends Schema.Error<InternalError>("InternalError")(
  body("internal_error"),
  answeredAs("internal_error")
) {
  static of(requestId: string): InternalError {
    return new InternalError({
      success: false,
      error: { code: "internal_error", message: `The service failed. Please report the request id ${requestId}.` }
    })
  }
}

export type WireError =
  | InvalidRequest
  | NoValidPersonas
  | Unauthorized
  | KeyRevoked
  | KeyExpired
  | IpRestricted
  | ScopeDenied
  | NotLicensed
  | NotFound
  | RateLimitExceeded
  | InternalError
