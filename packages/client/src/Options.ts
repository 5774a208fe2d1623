/** What a client and a call can be told. */
import type { RateLimit } from "./RateLimit.ts"

/** One answer, as `onResponse` sees it. It never holds the key. */
export interface ResponseInfo {
  readonly method: string
  /** Below `baseUrl`, with its query. */
  readonly path: string
  readonly status: number
  readonly requestId: string | null
  /** 1 for the first. */
  readonly attempt: number
  readonly durationMs: number
  readonly rateLimit: RateLimit | null
  /** True when an earlier call with this idempotency key had done the work, and its answer came again. */
  readonly replayed: boolean
  readonly headers: Headers
}

/** For one call. */
export interface RequestOptions {
  /** Aborts the call, its retries and its pauses; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** In place of the client's. */
  readonly timeoutMs?: number | undefined
  /** In place of the client's. */
  readonly maxRetries?: number | undefined
  /** Beside the client's. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Called for every answer, those that are tried again included. */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined
}

/** For one POST. */
export interface PostOptions extends RequestOptions {
  /**
   * Your own key for this work, 1 to 255 visible ASCII characters: the same key and body within 24 hours do the work
   * once and get the same answer. Left out: a new one for each call, the same for its retries.
   */
  readonly idempotencyKey?: string | undefined
}

/** For a client. */
export interface ClientOptions {
  /** The service's address, `https://api.example.com`, with or without `/partner/v1`. */
  readonly baseUrl: string
  /** Milliseconds for one attempt, to the last byte of its answer. 30,000. */
  readonly timeoutMs?: number | undefined
  /** Attempts after the first. 3. */
  readonly maxRetries?: number | undefined
  /** The longest pause before a retry, in milliseconds: a `Retry-After` beyond it ends the call instead. 60,000. */
  readonly maxRetryWaitMs?: number | undefined
  /** In place of the runtime's own: for a proxy, a test, a trace. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Called for every answer, those that are tried again included. */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined
  /** A browser shows its keys to whoever looks: say true if that is what you want. */
  readonly allowBrowser?: boolean | undefined
}

/** Text, or what fetches it: asked before every attempt, so that a rotated secret is used at once. */
export type Credential = string | (() => string | Promise<string>)
