/**
 * Defines all errors of this client. Every error is a PartnerCommentaryError, with one exception: an aborted call
 * rejects with the reason of the signal. Error messages never contain the API key.
 */
import type { SubmissionResult, TopicProgress } from "./Topic.ts"

/** The base class of every error of this client. */
export class PartnerCommentaryError extends Error {
  override name = "PartnerCommentaryError"
}

/**
 * A problem with one field. `field` is a path such as `persona_ids[2]`, and `constraint` is a sentence that states the
 * rule.
 */
export interface Problem {
  readonly field: string
  readonly constraint: string
}

/** The type of `details` by error code. The comment of each code starts with the HTTP status. */
export interface ErrorDetails {
  /** 400. `field` and `constraint` describe the first problem, and `errors` lists all problems. */
  readonly invalid_request: Problem & { readonly errors: ReadonlyArray<Problem> }
  /**
   * 400. No requested persona can receive the topic, and the service stored nothing. The `details` contain the
   * reason for each persona.
   */
  readonly no_valid_personas: ReadonlyArray<SubmissionResult>
  /** 401 */
  readonly unauthorized: undefined
  /** 401 */
  readonly key_revoked: undefined
  /** 401 */
  readonly key_expired: undefined
  /** 401 */
  readonly ip_restricted: undefined
  /** 401. The error message names the missing scope of the key. */
  readonly scope_denied: undefined
  /** 403 */
  readonly not_licensed: { readonly persona_id: string }
  /** 404 */
  readonly not_found: undefined
  /** 429. If `quota` is present, a monthly quota is used up. Wait at least `retry_after` seconds before a retry. */
  readonly rate_limit_exceeded: {
    readonly retry_after: number
    readonly limit: number
    readonly remaining: number
    readonly quota?: string
  }
  /** 500. The error message contains the request id. */
  readonly internal_error: undefined
}

export type ErrorCode = keyof ErrorDetails

interface Refusal<Code extends ErrorCode> extends PartnerCommentaryError {
  /** The HTTP status of the response. */
  readonly status: number
  readonly code: Code
  readonly details: ErrorDetails[Code]
  /** The request id of the call. Quote the request id in support requests. */
  readonly requestId: string | null
  /** The response's headers. */
  readonly headers: Headers
}

/**
 * The service rejected the request. `code` identifies the error and determines the type of `details`. A newer service
 * may send unknown codes with any `details`.
 */
export type ApiError = { [Code in ErrorCode]: Refusal<Code> }[ErrorCode]

interface Refused<Code extends ErrorCode> {
  readonly status: number
  readonly code: Code
  readonly message: string
  readonly details: ErrorDetails[Code]
  readonly requestId?: string | null
  readonly headers?: Headers
}

/**
 * The class of the errors that the service returns. After `error instanceof ApiError`, a check of `error.code`
 * determines the type of `error.details`.
 */
export const ApiError = class ApiError<Code extends ErrorCode> extends PartnerCommentaryError {
  override name = "ApiError"
  readonly status: number
  readonly code: Code
  readonly details: ErrorDetails[Code]
  readonly requestId: string | null
  readonly #headers: Headers

  constructor({ code, details, headers = new Headers(), message, requestId = null, status }: Refused<Code>) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.requestId = requestId
    this.#headers = headers
  }

  get headers(): Headers {
    return this.#headers
  }
} as unknown as {
  new <Code extends ErrorCode>(refused: Refused<Code>): Refusal<Code>
  readonly prototype: ApiError
}

/** No response arrived because the connection failed or broke. `cause` is the error of `fetch`. */
export class ConnectionError extends PartnerCommentaryError {
  override name = "ConnectionError"
  /** The request id that the client sent. If the request arrived, the service's log contains the request id. */
  readonly requestId: string

  constructor(message: string, requestId: string, options?: ErrorOptions) {
    super(message, options)
    this.requestId = requestId
  }
}

/** No complete response arrived within `timeoutMs`. The service may have processed the request. */
export class TimeoutError extends ConnectionError {
  override name = "TimeoutError"
}

/**
 * The response did not come from the service. Possible causes are a proxy's HTML page, a redirect or a wrong `baseUrl`.
 */
export class UnexpectedAnswerError extends PartnerCommentaryError {
  override name = "UnexpectedAnswerError"
  readonly status: number
  readonly requestId: string | null
  /** The first 500 characters of the response body. */
  readonly excerpt: string
  readonly #headers: Headers

  constructor(
    message: string,
    answer: {
      readonly status: number
      readonly headers: Headers
      readonly text: string
      readonly requestId: string | null
    }
  ) {
    super(message)
    this.status = answer.status
    this.requestId = answer.requestId
    this.excerpt = answer.text.slice(0, 500)
    this.#headers = answer.headers
  }

  /** The headers of the response. */
  get headers(): Headers {
    return this.#headers
  }
}

/**
 * `topics.waitFor` has reached its `timeoutMs`. The topic is still open in the service, and you can call `waitFor`
 * again.
 */
export class WaitTimeoutError extends PartnerCommentaryError {
  override name = "WaitTimeoutError"
  readonly topicId: string
  /** The last received status of the topic; null if no status was received. */
  readonly lastStatus: TopicProgress | null

  constructor(message: string, topicId: string, lastStatus: TopicProgress | null) {
    super(message)
    this.topicId = topicId
    this.lastStatus = lastStatus
  }
}
