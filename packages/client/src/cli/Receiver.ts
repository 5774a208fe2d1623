/** Sends a signed event to the receiver in a single attempt, with a timeout and a maximum size of the response. */
import type { PastEvent } from "../WebhookEvent.ts"
import type { SignEvent } from "./Secret.ts"
import { type CommandContext, UsageError } from "./Terminal.ts"

/** The default timeout in milliseconds, which is equal to the timeout of the service's own deliveries. */
const usualTimeoutMs = 15_000
const maxBytes = 64 * 1024
const excerptBytes = 1024

export interface ForwardAttempt {
  /** The HTTP status of the response; null if no response arrived. */
  readonly status: number | null
  readonly latency_ms: number
  /** The reason for the failure; null if the response has a status of 200 to 299. */
  readonly error: string | null
  /** The first KiB of the response body; null if no response arrived. */
  readonly response_excerpt: string | null
}

export const parseReceiverUrl = (text: string | undefined): string => {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== "") {
    throw new UsageError(
      "--forward-to must be an address without user and password, such as http://localhost:3000/hook."
    )
  }
  return url.href
}

/** Returns the first KiB of a response body. Reading stops after `maxBytes`, because the response may be endless. */
const excerptOf = async (response: Response): Promise<string> => {
  const decoder = new TextDecoder()
  let excerpt = ""
  let kept = 0
  let bytes = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    excerpt += decoder.decode(chunk.subarray(0, excerptBytes - kept), { stream: true })
    kept = Math.min(excerptBytes, kept + chunk.length)
    bytes += chunk.length
    if (bytes >= maxBytes) break
  }
  return excerpt
}

const reasonOf = (error: unknown, timeoutMs: number): string => {
  const { cause, message, name } = error as Error & { readonly cause?: { code?: string; message?: string } }
  if (name === "TimeoutError") return `No complete response within ${timeoutMs / 1000} seconds.`
  return `No response: ${cause?.code ?? cause?.message ?? message}.`
}

export const forwardEvent = async (
  event: PastEvent,
  to: string,
  sign: SignEvent,
  { fetch, signal }: CommandContext,
  timeoutMs = usualTimeoutMs
): Promise<ForwardAttempt> => {
  const body = JSON.stringify(event)
  const headers = {
    "content-type": "application/json",
    "user-agent": "Partner-Commentary",
    "accept-encoding": "identity",
    ...(await sign(event.id, body))
  }
  const start = performance.now()
  const took = () => Math.round(performance.now() - start)
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    const response = await fetch(to, { method: "POST", headers, body, redirect: "manual", signal: limit })
    const response_excerpt = await excerptOf(response)
    const error = response.ok ? null : `The receiver answered with status ${response.status}, which is not a success.`
    return { status: response.status, latency_ms: took(), error, response_excerpt }
  } catch (error) {
    signal.throwIfAborted()
    return { status: null, latency_ms: took(), error: reasonOf(error, timeoutMs), response_excerpt: null }
  }
}
