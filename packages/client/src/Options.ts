/** Options of clients and calls. */
import type { RateLimit } from "./RateLimit.ts"

/** One response as `onResponse` receives it. The information never contains the key. */
export interface ResponseInfo {
  readonly method: string
  /** The path below `baseUrl`, with its query. */
  readonly path: string
  readonly status: number
  readonly requestId: string | null
  /** The number of the first attempt is 1. */
  readonly attempt: number
  readonly durationMs: number
  readonly rateLimit: RateLimit | null
  /** True when the service returned the stored response of an earlier call with this idempotency key. */
  readonly replayed: boolean
  readonly headers: Headers
}

/** Options of one call. */
export interface RequestOptions {
  /** Aborts the call with its retries and pauses. The call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Overrides the client's value. */
  readonly timeoutMs?: number | undefined
  /** Overrides the client's value. */
  readonly maxRetries?: number | undefined
  /** Headers in addition to the client's headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Called for every response, including those of retried attempts. */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined
}

/** Options of one POST. */
export interface PostOptions extends RequestOptions {
  /**
   * Your own idempotency key, 1 to 255 visible ASCII characters. Calls with the same key and body within 24 hours run
   * once and get the same response. By default each call has a new key, which its retries share.
   */
  readonly idempotencyKey?: string | undefined
}

/** Options of a client. */
export interface ClientOptions {
  /** The service's address, `https://api.example.com`, with or without `/partner/v1`. */
  readonly baseUrl: string
  /** Timeout of one attempt until the last byte of the response, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined
  /** The number of attempts after the first. Default: 3. */
  readonly maxRetries?: number | undefined
  /** The longest pause before a retry, in milliseconds. A longer `Retry-After` ends the call. Default: 60,000. */
  readonly maxRetryWaitMs?: number | undefined
  /** Replaces the runtime's `fetch`, for example for a proxy, tests or tracing. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** Headers for every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Called for every response, including those of retried attempts. */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined
  /** Allows use in a browser, where anyone can read the key. */
  readonly allowBrowser?: boolean | undefined
}

/**
 * The credential is a text, or a function that is called before every attempt, so that a rotated secret is used at
 * once.
 */
export type Credential = string | (() => string | Promise<string>)
