/** Reads server-sent events from the body of a response. */
import { withTimeout } from "./Pause.ts"

export interface ServerSentEvent {
  readonly id: string
  readonly data: string
}

export interface StreamReader {
  /** Is called for each part of the body, comments included. */
  readonly onPart: () => void
  /** Is called with the milliseconds that the service asks for before the next connection. */
  readonly onRetry: (ms: number) => void
  /** The events end with this error if no part comes for so many milliseconds. */
  readonly silence: { readonly ms: number; readonly error: Error }
  readonly signal: AbortSignal
}

/** An event that the end of the body cuts off is left out. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { onPart, onRetry, signal, silence }: StreamReader
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
      // A carriage return at the end may be the first half of a line end.
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
