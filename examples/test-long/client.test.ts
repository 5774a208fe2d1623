/** Runs the example of the client over HTTP against an embedded service. Creators answer while the client waits. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Outbox, layer as outboxLayer } from "@partner-commentary/smtp/Outbox"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { requestCommentaries } from "../client.ts"
import { createExampleServer } from "../effect-server.ts"
import { openService } from "../service.ts"

const content = "Will the Lakers make the play-offs?"
const perspective = "They will, but only just. The defence has finally woken up."

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "client-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

const story = Effect.gen(function* () {
  const server = yield* HttpServer.HttpServer
  const baseUrl = HttpServer.formatAddress(server.address)
  const outbox = yield* Outbox
  const owner = yield* Seed.createOrganization()
  yield* Seed.createPersona(owner, { name: "Ada Vance" })
  const bo = yield* Seed.createPersona(owner, { name: "Bo Lindqvist" })
  const { text: apiKey } = yield* Seed.issueApiKey(owner)

  const link = (subject: RegExp): Effect.Effect<string> =>
    Effect.flatMap(outbox.list, (mails) => {
      const found = mails.find((mail) => subject.test(mail.subject))
      const token = /\/creator\/(\S+)/.exec(found?.text ?? "")?.[1]
      return token === undefined ? Effect.andThen(Effect.sleep("20 millis"), link(subject)) : Effect.succeed(token)
    })
  const act = (token: string, action: string, body: unknown) =>
    Effect.promise(() =>
      fetch(`${baseUrl}/creator/${token}/${action}`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify(body)
      })
    )

  const options = { apiKey, baseUrl }
  const asking = yield* Effect.forkChild(
    Effect.promise(() => requestCommentaries(options, content, { intervalMs: 20 }))
  )
  yield* act(yield* link(/asks Bo Lindqvist/), "decline", {})
  yield* act(yield* link(/asks Ada Vance/), "respond", { perspective })
  yield* act(yield* link(/^A draft for Ada Vance/), "approve", {})
  const lines = yield* Fiber.join(asking)
  assert.strictEqual(lines.length, 2)
  assert.include(lines.join("\n"), perspective)
  assert.include(lines, "Bo Lindqvist: declined")

  const again = yield* Effect.promise(() => requestCommentaries(options, content))
  assert.include(again, `${bo.id}: duplicate`)
})

const rehearsal = Effect.gen(function* () {
  const server = yield* HttpServer.HttpServer
  const owner = yield* Seed.createOrganization()
  yield* Seed.createPersona(owner)
  const { text: apiKey } = yield* Seed.issueApiKey(owner, { environment: "test" })
  const options = { apiKey, baseUrl: HttpServer.formatAddress(server.address) }
  const [approved, ...rest] = yield* Effect.promise(() => requestCommentaries(options, content, { timeoutMs: 20_000 }))
  assert.match(approved ?? "", /^Avery Approves: \S/)
  assert.deepStrictEqual(rest, ["Dana Declines: declined", "Eden Expires: expired"])
})

const told = <A, E, R>(story: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const outbox = join(folder, "outbox")
    const secret = "a secret of the tests, and long enough"
    const url = "http://commentary.example"
    const service = createExampleServer(
      openService({ url, database: join(folder, "commentary.db"), outbox, secret }),
      0
    )
    yield* Effect.provide(story, Layer.merge(service, outboxLayer({ folder: outbox })))
  })

it.live("a partner submits a topic, creators answer, and the client resolves with their commentaries", () =>
  told(story)
)

it.live("with a test key, a topic completes within seconds without a human", () => told(rehearsal))

it("the client's README contains the code of the client example", () => {
  const at = (path: string) => readFileSync(join(import.meta.dirname, "../..", path), "utf8")
  const region = /^\/\/ #region client\n([\s\S]+?)^\/\/ #endregion$/m.exec(at("examples/client.ts"))?.[1] ?? ""
  assert.isAtMost(region.trim().split("\n").length, 20)
  assert.include(at("packages/client/README.md"), `\`\`\`ts\n${region}\`\`\`\n`)
})
