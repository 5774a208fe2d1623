/** What the package weighs, and where it runs: wherever there are the web's own globals, and in a browser only when told to. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createContext, runInContext } from "node:vm"
import { Webhook } from "standardwebhooks"
import { describe, expect, it } from "vitest"
import { bundle, everything, verification } from "./Bundle.ts"
import { json } from "./ScriptedService.ts"

const folder = join(import.meta.dirname, "..")
const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
const readme = readFileSync(join(folder, "README.md"), "utf8")
const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`

describe("the bundle", () => {
  it("holds nothing but this package, and names no module of any runtime", async () => {
    const { inputs, text } = await bundle(everything)
    expect(inputs.filter((input) => !input.startsWith("packages/client/src/") && input !== "<stdin>")).toEqual([])
    expect(text).not.toMatch(/\bnode:|\brequire\b|\bprocess\b|\bBuffer\b/)
    expect([manifest.dependencies, manifest.peerDependencies, manifest.optionalDependencies]).toEqual([
      undefined,
      undefined,
      undefined
    ])
  })

  it("weighs at most 6 kB, and what verifies webhooks 1.5 kB of it; the README says how much", async () => {
    const all = (await bundle(everything)).gzipped
    const part = (await bundle(verification)).gzipped
    expect(all).toBeLessThan(6000)
    expect(part).toBeLessThan(1500)
    const said = /([\d.]+ kB) minified and gzipped, ([\d.]+ kB) for `verifyWebhook` alone/.exec(readme)
    expect(said?.slice(1)).toEqual([kilobytes(all), kilobytes(part)])
  })

  it("tells the service the version of its manifest", async () => {
    expect((await bundle(everything)).text).toContain(`"${manifest.version}"`)
  })
})

/** What an edge runtime has beside the language. */
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
  runInContext((await bundle(everything, "iife")).text, context)
  return (code: string) => runInContext(`(async () => { ${code} })()`, context) as Promise<unknown>
}

describe("with the web's globals alone", () => {
  it("a call is made by the runtime's own fetch, retried and read", async () => {
    const asked: Array<string> = []
    const run = await edge({
      fetch: async (url: string, init: RequestInit) => {
        asked.push(`${init.method} ${url}`)
        return json(asked.length === 1 ? 503 : 200, { success: true, data: { topic_id: "t" } })()
      }
    })
    const topic = await run(`
      const client = new PC.PartnerCommentary({ apiKey: "pk_test_a", baseUrl: "https://api.example" })
      return (await client.topics.create({ content: "Who wins the derby?", persona_ids: ["a"] })).topic_id`)
    expect(topic).toBe("t")
    expect(asked).toEqual(Array(2).fill("POST https://api.example/partner/v1/topics"))
  })

  it("a webhook is verified, whichever realm its body is of", async () => {
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

describe("in a browser", () => {
  const make = (more: string) =>
    `return new PC.PartnerCommentary({ apiKey: "pk_test_a", baseUrl: "https://api.example"${more} }) && "made"`

  it("it refuses to be made, since anybody could read the key", async () => {
    const run = await edge({ window: {}, document: {} })
    await expect(run(make(""))).rejects.toThrow(/This is a browser, where anyone can read the key/)
  })

  it("unless it is told that the key may be seen", async () => {
    const run = await edge({ window: {}, document: {} })
    expect(await run(make(", allowBrowser: true"))).toBe("made")
  })

  it("a window alone is none: some runtimes on servers have one", async () => {
    const run = await edge({ window: {} })
    expect(await run(make(""))).toBe("made")
  })
})
