/** Runs the README's example in a separate process, from its first start to an approved commentary. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { createServer } from "node:net"
import { join } from "node:path"
import { partnerCommentary } from "partner-commentary"
import { sqlite } from "partner-commentary/sqlite"
import PostalMime from "postal-mime"
import { expect, it } from "vitest"
import { firstPartner } from "../first-partner.ts"
import * as Mounted from "./Mounted.ts"

const at = (path: string) => join(import.meta.dirname, "../..", path)
const pause = () => new Promise((resolve) => setTimeout(resolve, 20))

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const answers = async (url: string, process: ChildProcess): Promise<void> => {
  if (process.exitCode !== null) throw new Error(`the example ended with ${process.exitCode}`)
  const isUp = await fetch(url)
    .then(({ ok }) => ok)
    .catch(() => false)
  return isUp ? undefined : pause().then(() => answers(url, process))
}

it("the five lines of the README take a topic in, mail its creator and publish what the creator approves", async (test) => {
  const folder = Mounted.folder(test)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/commentary`
  const secret = "a secret of the tests, and long enough"
  const example = spawn(process.execPath, [at("examples/embed.ts")], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: "", PORT: `${port}`, COMMENTARY_URL: url, COMMENTARY_SECRET: secret },
    stdio: ["ignore", "ignore", "inherit"]
  })
  test.onTestFinished(async () => {
    const ended = once(example, "exit")
    if (example.exitCode === null && example.kill()) await ended
  })
  await answers(`${url}/readyz`, example)

  // A second instance on the same file, as in a command that runs beside the server.
  const beside = partnerCommentary({ url, secret, database: sqlite(join(folder, "commentary.db")), workers: false })
  test.onTestFinished(beside.stop)
  const { key, organization_id, persona_id } = await firstPartner(beside)

  const post = (link: string, body: object) =>
    fetch(link, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(body)
    })
  const outbox = join(folder, "commentary-outbox")
  const link = async (subject: RegExp): Promise<string> => {
    const mails = readdirSync(outbox).filter((name) => name.endsWith(".eml"))
    const read = await Promise.all(mails.map((name) => PostalMime.parse(readFileSync(join(outbox, name)))))
    const found = read.find((mail) => subject.test(mail.subject ?? ""))?.text?.match(/http:\S+\/creator\/\S+/)?.[0]
    return found ?? pause().then(() => link(subject))
  }

  const topic = { content: "Who wins the derby on Sunday?", persona_ids: [persona_id], external_reference: "derby-1" }
  expect((await post(`${url}/partner/v1/topics`, topic)).status).toBe(201)
  expect((await post(`${await link(/asks/)}/respond`, { perspective: "The home side." })).status).toBe(200)
  expect((await post(`${await link(/draft/)}/approve`, {})).status).toBe(200)
  const { commentaries } = await beside.topics.byReference({ organization_id, external_reference: "derby-1" })
  expect(commentaries[0]?.commentary?.content).toContain("The home side.")
})

it("the README and the guide show this example as it is", () => {
  const region = /^\/\/ #region embed\n([\s\S]+?)^\/\/ #endregion$/m.exec(readFileSync(at("examples/embed.ts"), "utf8"))
  expect(region?.[1]?.trim().split("\n").length).toBeLessThanOrEqual(10)
  for (const page of ["README.md", "docs/guides/embedding.md"]) {
    expect(readFileSync(at(page), "utf8")).toContain(`\`\`\`ts\n${region?.[1]}\`\`\`\n`)
  }
})
