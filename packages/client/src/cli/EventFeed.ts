/** Follows the events of a key from now on, in the order in which the service stored them. */
import type { ResponseInfo } from "../Options.ts"
import type { PartnerCommentary } from "../PartnerCommentary.ts"
import { pause } from "../Pause.ts"
import { isTemporaryFailure, requestedDelay } from "../Retry.ts"
import { pauseForRateLimit } from "../Waiting.ts"
import type { PastEvent } from "../WebhookEvent.ts"

const pollMs = 2000

export interface EventFeed {
  /** Finds the position after the last past event. */
  readonly start: () => Promise<void>
  /** Rejects with the signal's reason. An outage is reported, and the command continues after it. */
  readonly follow: (outage: (error: Error) => void) => AsyncGenerator<PastEvent, never, undefined>
}

export const makeEventFeed = (client: PartnerCommentary, signal: AbortSignal): EventFeed => {
  let place: string | undefined
  let limit: ResponseInfo["rateLimit"] = null
  const onResponse = ({ rateLimit }: ResponseInfo) => {
    limit = rateLimit
  }
  const options = { signal, onResponse }

  /** The events after the position, which moves forward with each page. */
  const fetchNew = async function* (): AsyncGenerator<PastEvent, void, undefined> {
    const query = place === undefined ? { order: "asc" as const } : { after: place }
    for await (const { data, pagination } of client.events.list({ ...query, limit: 100 }, options).pages()) {
      yield* data
      place = pagination.next_cursor ?? place
    }
  }

  return {
    start: async () => {
      const { data } = await client.events.list({ limit: 1 }, options)
      // The newest event of a list sorted by time may not be the last one stored, so read forward from it.
      place = data[0]?.id
      for await (const _ of fetchNew());
    },
    follow: async function* (outage) {
      for (;;) {
        let asked = 0
        try {
          yield* fetchNew()
        } catch (error) {
          if (signal.aborted || !isTemporaryFailure(error)) throw error
          outage(error as Error)
          asked = requestedDelay(error) ?? 0
        }
        await pause(Math.max(pollMs, pauseForRateLimit(limit), asked), signal)
      }
    }
  }
}
