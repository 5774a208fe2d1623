/**
 * Everything that a call can fail with. Each is a PartnerCommentaryError, but for what you did yourself: an aborted call
 * rejects with its signal's own reason. No message holds the API key.
 */
import type { SubmissionResult, TopicProgress } from "./Topic.ts"

/** What every error of this client is. */
export class PartnerCommentaryError extends Error {
  override name = "PartnerCommentaryError"
}

/** A problem with one field: a path such as `persona_ids[2]`, and a sentence that says what would be right. */
export interface Problem {
  readonly field: string
  readonly constraint: string
}

/** By code, what `details` holds. Sent by the service with these codes: 400, 401, 403, 404, 429, 500. */
export interface ErrorDetails {
  /** 400. The first problem leads; `errors` lists all. */
  readonly invalid_request: Problem & { readonly errors: ReadonlyArray<Problem> }
  /** 400. Nothing was stored; why, for each requested persona. */
  readonly no_valid_personas: ReadonlyArray<SubmissionResult>
  /** 401 */
  readonly unauthorized: undefined
  /** 401 */
  readonly key_revoked: undefined
  /** 401 */
  readonly key_expired: undefined
  /** 401 */
  readonly ip_restricted: undefined
  /** 401. The message names the scope. */
  readonly scope_denied: undefined
  /** 403 */
  readonly not_licensed: { readonly persona_id: string }
  /** 404 */
  readonly not_found: undefined
  /** 429. With `quota`, a monthly quota is used up until `retry_after` seconds from now: don't try again before. */
  readonly rate_limit_exceeded: {
    readonly retry_after: number
    readonly limit: number
    readonly remaining: number
    readonly quota?: string
  }
  /** 500. The message names the request id. */
  readonly internal_error: undefined
}

export type ErrorCode = keyof ErrorDetails

interface Refusal<Code extends ErrorCode> extends PartnerCommentaryError {
  /** The HTTP status. */
  readonly status: number
  readonly code: Code
  readonly details: ErrorDetails[Code]
  /** What to name when you ask us about it. */
  readonly requestId: string | null
  /** The answer's headers. */
  readonly headers: Headers
}

/**
 * The service refused. `code` tells the errors apart, and types `details`. A newer service may send codes that are not
 * listed here, with the `details` that it likes.
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

/** `error instanceof ApiError` narrows to the union, so that `error.code === "…"` types `error.details`. */
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

/** No answer came: no connection, or a broken one. `cause` is what `fetch` said. */
export class ConnectionError extends PartnerCommentaryError {
  override name = "ConnectionError"
  /** As it was sent: the service logs it if the request arrived. */
  readonly requestId: string

  constructor(message: string, requestId: string, options?: ErrorOptions) {
    super(message, options)
    this.requestId = requestId
  }
}

/** No whole answer came within `timeoutMs`. What was asked for may have happened all the same. */
export class TimeoutError extends ConnectionError {
  override name = "TimeoutError"
}

/** Something answered, but not the service: a proxy's HTML, a redirect, a wrong `baseUrl`. */
export class UnexpectedAnswerError extends PartnerCommentaryError {
  override name = "UnexpectedAnswerError"
  readonly status: number
  readonly requestId: string | null
  /** The first 500 characters of the answer. */
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

  /** The answer's headers. */
  get headers(): Headers {
    return this.#headers
  }
}

/** `topics.waitFor` reached its `timeoutMs`. The topic goes on: wait again whenever you like. */
export class WaitTimeoutError extends PartnerCommentaryError {
  override name = "WaitTimeoutError"
  readonly topicId: string
  /** The last that was seen of it; null if nothing was. */
  readonly lastStatus: TopicProgress | null

  constructor(message: string, topicId: string, lastStatus: TopicProgress | null) {
    super(message)
    this.topicId = topicId
    this.lastStatus = lastStatus
  }
}
