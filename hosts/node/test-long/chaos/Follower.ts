/** A partner's client that reads its event stream from any available server, while faults stop some of the servers. */
import { PartnerCommentary } from "@partner-commentary/client"
import type { RandomSource } from "../Randomness.ts"
import type { FleetProcess } from "./Fleet.ts"

const root = "http://any.invalid"

export const followEvents = (servers: ReadonlyArray<FleetProcess>, key: string, random: RandomSource) => {
  const stop = new AbortController()
  const ids: Array<string> = []
  const tally = { streams: 0, lists: 0, outages: 0 }
  const fetch = (url: string, init: RequestInit) => {
    const server = servers[random.whole(0, servers.length - 1)] as FleetProcess
    tally[url.includes("/events/stream") ? "streams" : "lists"] += 1
    return globalThis.fetch(url.replace(root, server.place.root), init)
  }
  const client = new PartnerCommentary({ apiKey: key, baseUrl: root, fetch })
  const onOutage = () => {
    tally.outages += 1
  }
  const following = async () => {
    for await (const { id } of client.events.follow({ signal: stop.signal, onOutage })) ids.push(id)
  }
  const ended = following().catch((error: unknown) => (stop.signal.aborted ? null : error))
  return {
    ids,
    tally,
    /** Stops reading. Returns the error that ended the stream earlier, or null if the stream had no error. */
    stop: () => {
      stop.abort()
      return ended
    }
  }
}
