/** The options of clients and of calls. */
import type { RateLimit } from "./RateLimit.ts"

/** The information about one response that `onResponse` receives. `ResponseInfo` never contains the API key. */
export interface ResponseInfo {
  readonly method: string
  /** The path of the request after `baseUrl`, including the query. */
  readonly path: string
  readonly status: number
  readonly requestId: string | null
  /** The number of the attempt, starting at 1. */
  readonly attempt: number
  readonly durationMs: number
  readonly rateLimit: RateLimit | null
  /** True if the service returned the stored response of an earlier call with the same idempotency key. */
  readonly replayed: boolean
  readonly headers: Headers
}

/** The options of one call. */
export interface RequestOptions {
  /** Aborts the call, including retries and pauses. An aborted call rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  /** Overrides the client's `timeoutMs` for one call. */
  readonly timeoutMs?: number | undefined
  /** Overrides the client's `maxRetries` for one call. */
  readonly maxRetries?: number | undefined
  /** Headers in addition to the client's headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The client calls this function for every response, including the responses of attempts that the client retries. */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined
}

/** The options of one POST request. */
export interface PostOptions extends RequestOptions {
  /**
   * Your own idempotency key, 1 to 255 visible ASCII characters. Calls with the same idempotency key and body within 24
   * hours run once and get the same response. By default, each call has a new idempotency key, which all retries of the
   * call share.
   */
  readonly idempotencyKey?: string | undefined
}

/** The options of a client. */
export interface ClientOptions {
  /** The URL of the service, such as `https://api.example.com`, with or without `/partner/v1`. */
  readonly baseUrl: string
  /** The timeout of one attempt until the last byte of the response, in milliseconds, by default 30,000. */
  readonly timeoutMs?: number | undefined
  /** The maximum number of retries after the first attempt, by default 3. */
  readonly maxRetries?: number | undefined
  /**
   * The longest pause before a retry, in milliseconds, by default 60,000. If `Retry-After` requests a pause longer than
   * `maxRetryWaitMs`, the call fails without a retry.
   */
  readonly maxRetryWaitMs?: number | undefined
  /** Replaces the runtime's `fetch`, for example for a proxy, tests or tracing. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** The headers that the client adds to every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The client calls this function for every response, including the responses of attempts that the client retries. */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined
  /** Allows the use of the client in a browser, where every visitor can read the key. */
  readonly allowBrowser?: boolean | undefined
}

/**
 * The credential, or a function that returns the credential. The client calls the function before every attempt, so the
 * next attempt uses a rotated credential.
 */
export type Credential = string | (() => string | Promise<string>)
