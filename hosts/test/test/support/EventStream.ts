/** Reads server-sent events as they arrive. */
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"

export interface StreamedEvent {
  readonly id: string
  readonly event: string
  readonly data: string
}

const field = (block: string, name: string) =>
  block
    .split("\n")
    .filter((line) => line.startsWith(`${name}: `))
    .map((line) => line.slice(name.length + 2))
    .join("\n")

/** Splits the text of an event stream into blocks. Drops the last block of the text, which may be incomplete. */
const blocksOf = (text: string) => text.split("\n\n").slice(0, -1)

const eventsOf = (text: string): ReadonlyArray<StreamedEvent> =>
  blocksOf(text)
    .filter((block) => block.startsWith("id: "))
    .map((block) => ({ id: field(block, "id"), event: field(block, "event"), data: field(block, "data") }))

/** Collects the text of a response until the response ends or the reader is closed. */
const collect = (response: Response) => {
  let text = ""
  let isEnded = false
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const read = async (): Promise<void> => {
    const part = await reader?.read().catch(() => undefined)
    if (part === undefined || part.done) isEnded = true
    else {
      text += part.value
      return read()
    }
  }
  const ended = read()
  return {
    response,
    text: () => text,
    events: () => eventsOf(text),
    heartbeats: () => blocksOf(text).filter((block) => block === ":").length,
    isEnded: () => isEnded,
    ended,
    close: Effect.promise(async () => {
      await reader?.cancel()
      await ended
    })
  }
}

/** Opens a stream, and returns when the response headers have arrived. */
export const openStream = Effect.fnUntraced(function* (
  key: string,
  query = "",
  headers: Readonly<Record<string, string>> = {}
) {
  const { call } = yield* TestApi
  return collect(yield* call(`/partner/v1/events/stream${query}`, { key, headers }))
})

/**
 * Returns the text of a response. If the response is an event stream, reads the first events, closes the stream, and
 * removes the random `retry` value.
 */
export const readResponseText = (response: Response) =>
  Effect.promise(async () => {
    if (response.headers.get("content-type") !== "text/event-stream" || response.body === null) return response.text()
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let text = ""
    while (!text.endsWith("\n\n")) {
      const { done, value } = await reader.read()
      if (done) break
      text += value
    }
    await reader.cancel()
    return text.replace(/^retry: \d+\n\n/, "")
  })
