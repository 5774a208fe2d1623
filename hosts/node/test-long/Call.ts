/** Sends HTTP requests and retries each request until a complete response arrives. */
import { setTimeout as sleep } from "node:timers/promises"

export interface ApiResponse<A> {
  readonly status: number
  readonly data: A
  readonly error: { readonly code: string; readonly message: string; readonly details?: unknown } | null
  readonly body: unknown
  /** The number of earlier attempts without a complete response. The service may have executed each earlier attempt. */
  readonly broken: number
}

export interface ApiCallOptions {
  readonly key?: string
  readonly body?: unknown
  /** `onSend` is called each time the request is sent. */
  readonly onSend?: () => void
}

/**
 * The time in milliseconds for which a request is retried. If the service is down for longer than a minute, the call
 * fails.
 */
const timeoutMs = 60_000

export const callApi = async <A>(url: string, { body, key, onSend }: ApiCallOptions = {}): Promise<ApiResponse<A>> => {
  const until = Date.now() + timeoutMs
  for (let broken = 0; ; broken++) {
    try {
      const response = fetch(url, {
        signal: AbortSignal.timeout(10_000),
        headers: {
          accept: "application/json",
          ...(key === undefined ? {} : { "x-api-key": key }),
          ...(body === undefined ? {} : { "content-type": "application/json" })
        },
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
      })
      onSend?.()
      const { status } = await response
      const answered = (await (await response).json()) as { readonly data: A; readonly error?: ApiResponse<A>["error"] }
      return { status, data: answered.data, error: answered.error ?? null, body: answered, broken }
    } catch (cause) {
      if (Date.now() > until) throw new Error(`No answer from ${url} within ${timeoutMs} ms`, { cause })
      await sleep(80)
    }
  }
}
