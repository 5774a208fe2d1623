/** The examples in the embedding guides of docs/guides run, in the order in which a reader builds them. */
import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { basename, join } from "node:path"
import PostalMime from "postal-mime"
import { expect, it } from "vitest"
import { application } from "../express.ts"
import { firstPartner } from "../first-partner.ts"
import * as Mounted from "./Mounted.ts"

const page = ["embedding", "embedding-frameworks", "embedding-production"]
  .map((name) => readFileSync(join(import.meta.dirname, `../../docs/guides/${name}.md`), "utf8"))
  .join("")

it("what the guide builds takes a topic in, asks the creator, and hands out what the creator approved", async (test) => {
  const folder = Mounted.folder(test)
  const service = Mounted.service(test, "http://commentary.example", folder)
  await service.start()
  const root = `http://127.0.0.1:${await Mounted.listening(createServer(application(service)), test)}`
  const { key, persona_id } = await firstPartner(service)

  const call = async (path: string, body?: unknown) => {
    const response = await fetch(`${root}${path}`, {
      headers: { "x-api-key": key, "content-type": "application/json", accept: "application/json" },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
    })
    return { status: response.status, text: await response.text() }
  }
  const link = async (count: number): Promise<string> => {
    const mails = readdirSync(join(folder, "outbox")).filter((name) => name.endsWith(".eml"))
    if (mails.length < count) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return link(count)
    }
    const texts = await Promise.all(
      mails.map((name) => PostalMime.parse(readFileSync(join(folder, "outbox", name))).then(({ text = "" }) => text))
    )
    const draft = count === 1 ? texts[0] : texts.find((text) => /draft/i.test(text))
    return /(\/creator\/\S+)/.exec(draft ?? "")?.[1] ?? "no link"
  }
  const topic = { content: "Will the Lakers make the play-offs?", persona_ids: [persona_id], external_reference: "a-1" }
  expect((await call("/partner/v1/topics", topic)).status).toBe(201)
  const answered = await call(`${await link(1)}/respond`, { perspective: "They will, but only just." })
  expect(answered.status).toBe(200)
  expect((await call(`${await link(2)}/approve`, {})).status).toBe(200)
  expect((await call("/partner/v1/topics/by-reference/a-1")).text).toContain("They will, but only just.")
})

const shown = ["embed", "first-partner", "express", "fastify", "hono", "h3", "route-handler", "node-http", "own-mailer"]
const ofNext = ["commentary", "route", "instrumentation"].map((name) => `nextjs/${name}`)

const regions = [...shown, ...ofNext].map((path) => [path, basename(path)] as const)

it.for([...regions, ["own-persona-store", "stores"] as const])(
  "the guide shows examples/%s.ts as it is: %s",
  ([path, name]) => {
    const source = readFileSync(join(import.meta.dirname, `../${path}.ts`), "utf8")
    const region = new RegExp(`^// #region ${name}\\n([\\s\\S]+?)^// #endregion$`, "m").exec(source)?.[1] ?? ""
    expect(region).not.toBe("")
    expect(page).toContain(`\`\`\`ts\n${region}\`\`\`\n`)
  }
)
