/** A partner's client that follows the partner's events through all servers, even while servers fail. */
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
    /** Returns the error that ended the client's iteration, or null if the iteration continued until this call. */
    stop: () => {
      stop.abort()
      return ended
    }
  }
}
