/** Requests of somebody who does not give up: what broke off on the way is sent again until an answer has come in whole. */
import { setTimeout as sleep } from "node:timers/promises"

export interface Answer<A> {
  readonly status: number
  readonly data: A
  readonly error: { readonly code: string; readonly message: string; readonly details?: unknown } | null
  readonly body: unknown
  /** How many of the same request broke off before; each of them may have had its effect. */
  readonly broken: number
}

export interface Call {
  readonly key?: string
  readonly body?: unknown
  /** Called each time the request goes out. */
  readonly onSend?: () => void
}

/** Only a service that stays away for long ends this. */
const patience = 60_000

export const call = async <A>(url: string, { body, key, onSend }: Call = {}): Promise<Answer<A>> => {
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
      const answered = (await (await response).json()) as { readonly data: A; readonly error?: Answer<A>["error"] }
      return { status, data: answered.data, error: answered.error ?? null, body: answered, broken }
    } catch (cause) {
      if (Date.now() > until) throw new Error(`No answer from ${url} within ${patience} ms`, { cause })
      await sleep(80)
    }
  }
}
