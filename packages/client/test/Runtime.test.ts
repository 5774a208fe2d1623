/**
 * Tests the bundle size, and that the client runs in every runtime with web globals, but in browsers only with
 * `allowBrowser`.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createContext, runInContext } from "node:vm"
import { Webhook } from "standardwebhooks"
import { describe, expect, it } from "vitest"
import { bundleAndMeasure, sourceExportingAll, sourceExportingVerification } from "./Bundle.ts"
import { makeJsonResponse } from "./ScriptedService.ts"

const folder = join(import.meta.dirname, "..")
const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
const readme = readFileSync(join(folder, "README.md"), "utf8")
const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`

describe("Bundle", () => {
  it("the bundle contains only this package and imports no runtime module", async () => {
    const { inputs, text } = await bundleAndMeasure(sourceExportingAll)
    expect(inputs.filter((input) => !input.startsWith("packages/client/src/") && input !== "<stdin>")).toEqual([])
    expect(text).not.toMatch(/\bnode:|\brequire\b|\bprocess\b|\bBuffer\b/)
    expect([manifest.dependencies, manifest.peerDependencies, manifest.optionalDependencies]).toEqual([
      undefined,
      undefined,
      undefined
    ])
  })

  it("as the README states, the bundle is at most 7 kB, and at most 1.5 kB with webhook verification alone", async () => {
    const all = (await bundleAndMeasure(sourceExportingAll)).gzipped
    const part = (await bundleAndMeasure(sourceExportingVerification)).gzipped
    expect(all).toBeLessThan(7000)
    expect(part).toBeLessThan(1500)
    const said = /([\d.]+ kB) minified and gzipped, or ([\d.]+ kB) for `verifyWebhook` alone/.exec(readme)
    expect(said?.slice(1)).toEqual([kilobytes(all), kilobytes(part)])
  })

  it("the client sends the version from the package manifest", async () => {
    expect((await bundleAndMeasure(sourceExportingAll)).text).toContain(`"${manifest.version}"`)
  })
})

/** The global objects of an edge runtime. */
const web = () => ({
  AbortController,
  AbortSignal,
  DOMException,
  Headers,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  atob,
  clearTimeout,
  crypto,
  setTimeout
})

const edge = async (more: object = {}) => {
  const context = createContext({ ...web(), ...more })
  runInContext((await bundleAndMeasure(sourceExportingAll, "iife")).text, context)
  return (code: string) => runInContext(`(async () => { ${code} })()`, context) as Promise<unknown>
}

describe("Runtimes with web globals only", () => {
  it("in a runtime with only web globals, a call uses the global fetch, retries and parses the response", async () => {
    const asked: Array<string> = []
    const run = await edge({
      fetch: async (url: string, init: RequestInit) => {
        asked.push(`${init.method} ${url}`)
        return makeJsonResponse(asked.length === 1 ? 503 : 200, { success: true, data: { topic_id: "t" } })()
      }
    })
    const topic = await run(`
      const client = new PC.PartnerCommentary({ apiKey: "pk_test_a", baseUrl: "https://api.example" })
      return (await client.topics.create({ content: "Who wins the derby?", persona_ids: ["a"] })).topic_id`)
    expect(topic).toBe("t")
    expect(asked).toEqual(Array(2).fill("POST https://api.example/partner/v1/topics"))
  })

  it("in a runtime with only web globals, events.follow reads a stream", async () => {
    const text = 'id: evt_1\nevent: creator.approved\ndata: {"id":"evt_1"}\n\n'
    const headers = { "content-type": "text/event-stream" }
    const run = await edge({ fetch: async () => new Response(text, { headers }) })
    const id = await run(`
      const client = new PC.PartnerCommentary({ apiKey: "pk_test_a", baseUrl: "https://api.example" })
      for await (const event of client.events.follow()) return event.id`)
    expect(id).toBe("evt_1")
  })

  it("in a runtime with only web globals, verifyWebhook accepts bytes that were created in another realm", async () => {
    const secret = "a raw secret of 32 or more characters"
    const body = '{"id":"evt_1"}'
    const at = new Date()
    const headers = {
      "webhook-id": "evt_1",
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": new Webhook(secret, { format: "raw" }).sign("evt_1", at, body)
    }
    const run = await edge({
      bodies: [body, Buffer.from(body), new TextEncoder().encode(body).buffer],
      headers,
      secret
    })
    const ids = await run(`
      const events = await Promise.all(bodies.map((body) => PC.verifyWebhook(body, headers, secret)))
      return events.map((event) => event.id).join()`)
    expect(ids).toBe("evt_1,evt_1,evt_1")
  })
})

describe("Browsers", () => {
  const make = (more: string) =>
    `return new PC.PartnerCommentary({ apiKey: "pk_test_a", baseUrl: "https://api.example"${more} }) && "made"`

  it("in a browser, the client's constructor throws, because every visitor could read the key", async () => {
    const run = await edge({ window: {}, document: {} })
    await expect(run(make(""))).rejects.toThrow(/This is a browser, where anyone can read the key/)
  })

  it("in a browser, the client's constructor succeeds with allowBrowser", async () => {
    const run = await edge({ window: {}, document: {} })
    expect(await run(make(", allowBrowser: true"))).toBe("made")
  })

  it("a window object alone does not count as a browser, because some server runtimes have a window object", async () => {
    const run = await edge({ window: {} })
    expect(await run(make(""))).toBe("made")
  })
})
