/** Tests the event stream of an embedded service through `pc.fetch` and `pc.node`. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { concurrencyPoolLimits } from "@partner-commentary/core/access/ConcurrencyLimit"
import { sqlite } from "partner-commentary/sqlite/Sqlite"
import { expect, it, onTestFinished, vi } from "vitest"
import { type EmbeddedPartnerCommentary, openEmbeddedService } from "../../test/embedding/EmbeddedStory.ts"

/** The id of the test persona that declines every topic within seconds. */
const declines = "7e570000-0000-4000-8000-000000000002"
const url = "https://app.example/commentary"

type Send = (path: string, init: RequestInit) => Promise<Response>

const hosts: Readonly<Record<string, (pc: EmbeddedPartnerCommentary) => Promise<Send>>> = {
  "pc.fetch": async (pc) => (path, init) => pc.fetch(new Request(`${url}${path}`, init)),
  "pc.node": async (pc) => {
    const server = createServer(pc.node)
    await once(server.listen(0, "127.0.0.1"), "listening")
    onTestFinished(() => void server.close().closeAllConnections())
    const { port } = server.address() as AddressInfo
    return (path, init) => fetch(`http://127.0.0.1:${port}/commentary${path}`, init)
  }
}

it.each(Object.keys(hosts))(
  "%s streams events as they happen, until the client disconnects or the service stops",
  async (host) => {
    const { pc } = openEmbeddedService(sqlite(":memory:"))
    onTestFinished(pc.stop)
    await pc.start()
    const { id: organization_id } = await pc.organizations.create({ name: "Courtside" })
    await pc.organizations.update({ organization_id, limits: { burst_per_minute: 1000 } })
    const { full_key: key } = await pc.apiKeys.create({
      organization_id,
      environment: "test",
      name: "t",
      scopes: ["topics:read"]
    })
    const send = await hosts[host]!(pc)
    const open = async () => {
      const leaves = new AbortController()
      const response = await send("/partner/v1/events/stream", { headers: { "x-api-key": key }, signal: leaves.signal })
      return { leave: () => leaves.abort(), response }
    }
    const { response } = await open()
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"])
    let text = ""
    let isEnded = false
    const reading = (async () => {
      for await (const part of response.body!.pipeThrough(new TextDecoderStream())) text += part
      isEnded = true
    })()
    const topic = {
      organization_id,
      environment: "test",
      content: "Who wins the derby?",
      persona_ids: [declines]
    } as const
    await pc.topics.submit(topic)
    await vi.waitFor(() => expect(text).toMatch(/^id: evt_.*\nevent: commentary\.failed\ndata: \{.*\}\n\n/m), 20_000)

    const others = await Promise.all(Array.from({ length: concurrencyPoolLimits.streaming.each - 1 }, open))
    expect(others.map(({ response: { status } }) => status)).toEqual(others.map(() => 200))
    expect((await open()).response.status).toBe(429)
    for (const { leave } of others) leave()
    await vi.waitFor(async () => expect((await open()).response.status).toBe(200), 20_000)
    expect(isEnded).toBe(false)
    await pc.stop()
    await reading
  }
)
