/** Reads server-sent events from the body of a response. */
import { withTimeout } from "./Pause.ts"

export interface ServerSentEvent {
  readonly id: string
  readonly data: string
}

export interface EventReaderOptions {
  /** The reader calls this function for each part of the body, including comments. */
  readonly onPart: () => void
  /** The reader calls this function with the requested pause before the next connection, in milliseconds. */
  readonly onRetry: (ms: number) => void
  /** The iteration throws `error` if no part of the body arrives for `ms` milliseconds. */
  readonly silence: { readonly ms: number; readonly error: Error }
  readonly signal: AbortSignal
}

/**
 * Iterates over the server-sent events in a response body. An event that is incomplete when the body ends is dropped.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { onPart, onRetry, signal, silence }: EventReaderOptions
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ""
  let id = ""
  let data: Array<string> = []
  try {
    for (;;) {
      const { done, value } = await withTimeout(silence.ms, silence.error, signal, () => reader.read())
      if (done) return
      onPart()
      const text = rest + decoder.decode(value, { stream: true })
      // A carriage return at the end of the text may be the first half of a line break.
      const lines = text.split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ""
      for (const line of lines) {
        const [field, ...parts] = line.split(":")
        const content = parts.join(":").replace(/^ /, "")
        if (field === "id") id = content
        if (field === "data") data.push(content)
        if (field === "retry" && /^\d+$/.test(content)) onRetry(Number(content))
        if (line !== "") continue
        if (data.length > 0) yield { id, data: data.join("\n") }
        data = []
      }
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}
