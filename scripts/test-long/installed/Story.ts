/** Runs an embedder's server and a partner that uses the official client, in a project that installed the packages. */
import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PartnerCommentary } from "@partner-commentary/client"
import { Outbox, layer as outboxLayer } from "@partner-commentary/smtp/Outbox"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { createExampleServer } from "../../../examples/effect-server.ts"
import { openService } from "../../../examples/service.ts"

const apiRoot = "http://commentary.example"
const view = "They will, but only just. The defence has finally woken up."

/** Waits for a mail with the given subject and returns the newest mail's link. */
const link = (subject: RegExp): Effect.Effect<string, never, Outbox> =>
  Effect.gen(function* () {
    const outbox = yield* Outbox
    const mails = yield* Effect.orDie(outbox.list)
    const text = mails.find((mail) => subject.test(mail.subject))?.text ?? ""
    const path = new RegExp(`${apiRoot}(/creator/\\S+)`).exec(text)?.[1]
    return path ?? (yield* Effect.andThen(Effect.sleep("20 millis"), link(subject)))
  })

const story = Effect.gen(function* () {
  const server = yield* HttpServer.HttpServer
  const baseUrl = HttpServer.formatAddress(server.address)
  const organization = yield* Seed.createOrganization({ name: "Courtside App" })
  const persona = yield* Seed.createPersona(organization, { name: "Ada Vance" })
  const { text: apiKey } = yield* Seed.issueApiKey(organization)
  const client = new PartnerCommentary({ apiKey, baseUrl })
  const act = (path: string, body: object) =>
    Effect.promise(async () => {
      const headers = { "content-type": "application/json", accept: "application/json" }
      const { status } = await fetch(`${baseUrl}${path}`, { method: "POST", headers, body: JSON.stringify(body) })
      assert.equal(status, 200)
    })

  const content = "Will the Lakers make the play-offs?"
  const topic = yield* Effect.promise(() => client.topics.create({ content, persona_ids: [persona.id] }))
  yield* act(`${yield* link(/^Courtside App asks/)}/respond`, { perspective: view })
  yield* act(`${yield* link(/^A draft for Ada Vance is ready/)}/approve`, {})
  const { commentaries } = yield* Effect.promise(() => client.topics.commentaries(topic.topic_id))
  assert.match(commentaries[0]?.content ?? "", /They will, but only just/)
})

const folder = mkdtempSync(join(tmpdir(), "installed-"))
const outbox = join(folder, "outbox")
const secret = "a secret of the tests, and long enough"
const pc = openService({ url: apiRoot, database: join(folder, "commentary.db"), outbox, secret })
const service = createExampleServer(pc, 0)
await Effect.runPromise(Effect.provide(story, Layer.merge(service, outboxLayer({ folder: outbox }))))
rmSync(folder, { recursive: true })
process.stdout.write("published\n")
