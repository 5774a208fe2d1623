/**
 * Sends requests for one credential, with retries and timeouts. The module Retry decides about retries, and the module
 * ResponseParser parses responses.
 */
import { buildBaseUrl } from "./Address.ts"
import { ConnectionError, PartnerCommentaryError, TimeoutError } from "./Errors.ts"
import type { ClientOptions, Credential, PostOptions, ResponseInfo } from "./Options.ts"
import { pause, withTimeout } from "./Pause.ts"
import { parseRateLimit } from "./RateLimit.ts"
import { parseResponse, type RawResponse } from "./ResponseParser.ts"
import { computeRetryDelayMs } from "./Retry.ts"
import { clientVersion } from "./Version.ts"

export interface ApiCall {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  /** The escaped path after the version prefix, including the query. */
  readonly path: string
  readonly body?: unknown
  readonly options?: PostOptions | undefined
  /** If true, the client does not retry a failed call and sends no idempotency key. */
  readonly once?: boolean
  /**
   * If true, the request accepts a stream of events. The caller reads the body of the response. Aborting the signal of
   * the options ends the stream.
   */
  readonly isStream?: boolean
}

/** The request header that contains the credential. */
export interface CredentialHeader {
  /** The name of the client option that contains the credential. */
  readonly option: string
  readonly name: string
  readonly scheme: string
}

/** Checks that the caller passed options, because plain JavaScript has no type check. */
export const requireOptions = <Options extends ClientOptions>(
  options: Options,
  credential: keyof Options & string
): Options => {
  if (typeof options === "object" && options !== null) return options
  throw new PartnerCommentaryError(`Options are missing: pass an object with ${credential} and baseUrl.`)
}

/** Validates a numeric option, because a timer with an invalid number would fire immediately. */
const checkedNumber = (name: string, value: unknown, usual: number): number => {
  if (value === undefined) return usual
  if (typeof value === "number" && value >= 0) return value
  throw new PartnerCommentaryError(`${name} must be a number of at least 0, but is ${JSON.stringify(value) ?? value}.`)
}

const eventStream = "text/event-stream"

const inBrowser = () => "window" in globalThis && "document" in globalThis

/** Returns the reason of a failed `fetch`. In Node, the property `cause` of the error contains the reason. */
const reasonOf = (error: unknown): string => {
  const { cause, message } = error instanceof Error ? error : { cause: undefined, message: String(error) }
  const { code, message: more } = (cause ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  return cause === undefined ? message : `${message} (${code ?? more})`
}

export class Connection {
  readonly #base: string
  readonly #header: CredentialHeader
  readonly #credential: Credential
  readonly #options: ClientOptions
  /** The timeout of an attempt, for calls whose options set no timeout. */
  readonly timeoutMs: number
  readonly #maxRetries: number
  readonly #maxRetryWaitMs: number
  #isTest = false

  constructor(options: ClientOptions, header: CredentialHeader, credential: Credential) {
    if (inBrowser() && options.allowBrowser !== true) {
      throw new PartnerCommentaryError(
        "This is a browser, where anyone can read the key. Call the service from your server, or set allowBrowser: true if the key may be public."
      )
    }
    this.#base = buildBaseUrl(options.baseUrl)
    this.#header = header
    this.#credential = credential
    this.#options = options
    this.timeoutMs = checkedNumber("timeoutMs", options.timeoutMs, 30_000)
    this.#maxRetries = checkedNumber("maxRetries", options.maxRetries, 3)
    this.#maxRetryWaitMs = checkedNumber("maxRetryWaitMs", options.maxRetryWaitMs, 60_000)
    if (typeof credential !== "function") this.#checked(credential)
  }

  /**
   * Returns whether the credential is a test key. For a credential function, returns false until the first request has
   * called the function.
   */
  get isTest(): boolean {
    return this.#isTest
  }

  /** Sends a request and returns the payload of the successful response. */
  async data<A>(call: ApiCall): Promise<A> {
    return (await this.send<{ readonly data: A }>(call)).data
  }

  /** Sends a request, with retries if needed, and returns the complete body of the successful response. */
  async send<A>(call: ApiCall): Promise<A> {
    const maxRetries = call.once === true ? 0 : checkedNumber("maxRetries", call.options?.maxRetries, this.#maxRetries)
    const timeoutMs = checkedNumber("timeoutMs", call.options?.timeoutMs, this.timeoutMs)
    const signal = call.options?.signal
    const headers = this.#headersOf(call)
    const body = call.body === undefined ? null : JSON.stringify(call.body)
    for (let attempt = 1; ; attempt++) {
      try {
        return parseResponse(await this.#attempt(call, attempt, headers, body, timeoutMs)) as A
      } catch (error) {
        signal?.throwIfAborted()
        const wait =
          attempt > maxRetries ? null : computeRetryDelayMs(error, attempt, this.#maxRetryWaitMs, Math.random())
        if (wait === null) throw error
        await pause(wait, signal)
      }
    }
  }

  /**
   * Opens a stream of server-sent events. Returns null if the response is not a stream. `timeoutMs` limits only the
   * time until the stream starts.
   */
  async stream(call: ApiCall, timeoutMs: number): Promise<ReadableStream<Uint8Array> | null> {
    const answer = await this.#attempt(call, 1, this.#headersOf(call), null, timeoutMs)
    if (answer.body === null) parseResponse(answer)
    return answer.body
  }

  async #attempt(
    call: ApiCall,
    attempt: number,
    shared: Headers,
    body: string | null,
    timeoutMs: number
  ): Promise<RawResponse & { readonly body: ReadableStream<Uint8Array> | null }> {
    const { fetch = globalThis.fetch } = this.#options
    const outer = call.options?.signal
    const headers = new Headers(shared)
    const sentId = headers.get("x-request-id") ?? crypto.randomUUID()
    headers.set("x-request-id", sentId)
    headers.set(this.#header.name, this.#header.scheme + (await this.#secret()))
    const late = new TimeoutError(`No answer within ${timeoutMs} ms (request ${sentId}).`, sentId)
    const start = Date.now()
    // Do not follow redirects, because a redirect could send the API key to another server.
    const init: RequestInit = { method: call.method, headers, body, redirect: "manual" }
    const answer = await withTimeout(timeoutMs, late, outer, async (signal) => {
      const response = await fetch(this.#base + call.path, {
        ...init,
        signal: call.isStream ? (outer ?? null) : signal
      })
      const { headers, status } = response
      const isStream = call.isStream && headers.get("content-type")?.startsWith(eventStream) && response.ok
      return { status, headers, body: isStream ? response.body : null, text: isStream ? "" : await response.text() }
    }).catch((error: unknown) => {
      if (error === late) throw error
      const message = `No answer from ${this.#base}: ${reasonOf(error)} (request ${sentId}).`
      throw new ConnectionError(message, sentId, { cause: error })
    })
    const requestId = answer.headers.get("x-request-id")
    const info: ResponseInfo = {
      method: call.method,
      path: call.path,
      status: answer.status,
      requestId,
      attempt,
      durationMs: Date.now() - start,
      rateLimit: parseRateLimit(answer.headers),
      replayed: answer.headers.get("idempotency-replayed") === "true",
      headers: answer.headers
    }
    this.#options.onResponse?.(info)
    call.options?.onResponse?.(info)
    return { ...answer, requestId }
  }

  #headersOf({ body, isStream, method, once, options }: ApiCall): Headers {
    const headers = new Headers(this.#options.headers)
    for (const [name, value] of Object.entries(options?.headers ?? {})) headers.set(name, value)
    headers.set("accept", isStream ? eventStream : "application/json")
    headers.set("user-agent", `partner-commentary-client/${clientVersion}`)
    if (body !== undefined) headers.set("content-type", "application/json")
    if (method === "POST" && once !== true) {
      headers.set("idempotency-key", options?.idempotencyKey ?? crypto.randomUUID())
    }
    return headers
  }

  async #secret(): Promise<string> {
    return this.#checked(typeof this.#credential === "function" ? await this.#credential() : this.#credential)
  }

  /**
   * Checks the credential before `fetch` receives it, because the error message of `fetch` would contain an invalid
   * credential.
   */
  #checked(secret: string): string {
    if (typeof secret === "string" && /^[\x21-\x7e]+$/.test(secret)) {
      this.#isTest = secret.startsWith("pk_test_")
      return secret
    }
    throw new PartnerCommentaryError(`${this.#header.option} is missing or contains an invalid character.`)
  }
}
