/** Follows the events of a key from now on, oldest first, by polling the list of events. */
import type { ResponseInfo } from "../Options.ts"
import type { PartnerCommentary } from "../PartnerCommentary.ts"
import { pause } from "../Pause.ts"
import { isPassing, requestedDelay } from "../Retry.ts"
import { pauseForRateLimit } from "../Waiting.ts"
import type { PastEvent } from "../WebhookEvent.ts"

const pollMs = 2000

/** An event may become visible some seconds after its timestamp, so each request reaches back. */
const overlapMs = 60_000

export interface EventFeed {
  /** Marks the events of the past as seen. */
  readonly start: () => Promise<void>
  /** Ends with the signal's reason. An outage is reported and outlasted. */
  readonly follow: (outage: (error: Error) => void) => AsyncGenerator<PastEvent, never, undefined>
}

export const eventFeed = (client: PartnerCommentary, signal: AbortSignal): EventFeed => {
  let seen = new Map<string, number>()
  let limit: ResponseInfo["rateLimit"] = null
  const onResponse = ({ rateLimit }: ResponseInfo) => {
    limit = rateLimit
  }

  /** The unseen events, newest first. */
  const fetchNew = async (since: string | undefined): Promise<ReadonlyArray<PastEvent>> => {
    const found: Array<PastEvent> = []
    for await (const event of client.events.list({ limit: 100, since }, { signal, onResponse })) {
      if (!seen.has(event.id)) found.push(event)
    }
    for (const { id, timestamp } of found) seen.set(id, Date.parse(timestamp))
    return found
  }

  const reachBack = (): string | undefined => {
    if (seen.size === 0) return undefined
    const from = Math.max(...seen.values()) - overlapMs
    seen = new Map([...seen].filter(([, at]) => at >= from))
    return new Date(from).toISOString()
  }

  return {
    start: async () => {
      const { data } = await client.events.list({ limit: 1 }, { signal, onResponse })
      for (const { id, timestamp } of data) seen.set(id, Date.parse(timestamp))
      if (data.length > 0) await fetchNew(reachBack())
    },
    follow: async function* (outage) {
      for (;;) {
        let asked = 0
        try {
          yield* (await fetchNew(reachBack())).toReversed()
        } catch (error) {
          if (signal.aborted || !isPassing(error)) throw error
          outage(error as Error)
          asked = requestedDelay(error) ?? 0
        }
        await pause(Math.max(pollMs, pauseForRateLimit(limit), asked), signal)
      }
    }
  }
}
