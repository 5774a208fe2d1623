/** Makes API requests. A request is retried until a complete response arrives. */
import { setTimeout as sleep } from "node:timers/promises"

export interface ApiAnswer<A> {
  readonly status: number
  readonly data: A
  readonly error: { readonly code: string; readonly message: string; readonly details?: unknown } | null
  readonly body: unknown
  /**
   * The number of earlier attempts that failed without a complete response. The service may have executed any of the
   * failed attempts.
   */
  readonly broken: number
}

export interface ApiCallOptions {
  readonly key?: string
  readonly body?: unknown
  /** Runs each time the request is sent. */
  readonly onSend?: () => void
}

/**
 * A request is retried for this many milliseconds. Only a long outage of the service lasts longer than the retries of a
 * request.
 */
const patience = 60_000

export const callApi = async <A>(url: string, { body, key, onSend }: ApiCallOptions = {}): Promise<ApiAnswer<A>> => {
  const until = Date.now() + patience
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
      const answered = (await (await response).json()) as { readonly data: A; readonly error?: ApiAnswer<A>["error"] }
      return { status, data: answered.data, error: answered.error ?? null, body: answered, broken }
    } catch (cause) {
      if (Date.now() > until) throw new Error(`No answer from ${url} within ${patience} ms`, { cause })
      await sleep(80)
    }
  }
}
