/**
 * Runs the README's example, from its first start to an approved commentary, in a project that installed one package
 * and Express.
 */
import assert from "node:assert/strict"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { setTimeout } from "node:timers/promises"
import { createFirstPartner } from "../../../examples/first-partner.ts"

const unused = createServer().listen(0, "127.0.0.1")
await once(unused, "listening")
const { port } = unused.address() as AddressInfo
await once(unused.close(), "close")

const url = `http://127.0.0.1:${port}/commentary`
Object.assign(process.env, {
  PORT: `${port}`,
  COMMENTARY_URL: url,
  COMMENTARY_SECRET: "a secret of the tests, and long enough"
})
const { pc } = await import("../../../examples/embed.ts")
const outbox = "commentary-outbox"
const { key, organization_id, persona_id } = await createFirstPartner(pc)

/** Waits up to 30 seconds for the mail with this subject, and returns its link. Long lines of a mail are folded. */
const link = async (subject: RegExp): Promise<string> => {
  for (const until = Date.now() + 30_000; Date.now() < until; ) {
    const mails = readdirSync(outbox).map((name) => readFileSync(`${outbox}/${name}`, "utf8").replace(/=\r?\n/g, ""))
    const found = mails.find((mail) => subject.test(mail))?.match(/http:\S+\/creator\/[\w.-]+/)?.[0]
    if (found !== undefined) return found
    await setTimeout(20)
  }
  throw new Error(`No mail with the subject ${subject}`)
}

const post = async (address: string, body: object) => {
  const headers = { "x-api-key": key, "content-type": "application/json", accept: "application/json" }
  const response = await fetch(address, { method: "POST", headers, body: JSON.stringify(body) })
  assert.ok(response.ok, await response.text())
}

const topic = { content: "Who wins the derby on Sunday?", persona_ids: [persona_id], external_reference: "derby-1" }
await post(`${url}/partner/v1/topics`, topic)
await post(`${await link(/^Subject: .*Courtside[_ ]asks/m)}/respond`, { perspective: "The home side." })
await post(`${await link(/^Subject: .*A[_ ]draft/m)}/approve`, {})
const { commentaries } = await pc.topics.byReference({ organization_id, external_reference: "derby-1" })
assert.match(commentaries[0]?.commentary?.content ?? "", /The home side/)
await pc.stop()
process.stdout.write("published\n", () => process.exit())
