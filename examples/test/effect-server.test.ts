/** Tests the embedded service over HTTP, with a database file and an outbox folder for the test. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Outbox, layer as outboxLayer } from "@partner-commentary/smtp/Outbox"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"
import * as RecordedSpans from "../../hosts/test/test/support/RecordedSpans.ts"
import { createExampleServer } from "../effect-server.ts"
import { openService } from "../service.ts"

const apiRoot = "http://commentary.example"
const perspective = "They will, but only just. The defence has finally woken up."

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "embed-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

const eventually = <A, E, R>(look: Effect.Effect<A | undefined, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(look, (found) =>
    found === undefined ? Effect.andThen(Effect.sleep("20 millis"), eventually(look)) : Effect.succeed(found)
  )

it.live("an embedded service accepts a topic, mails the creator, and returns the approved commentary", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const outbox = join(folder, "outbox")
    const secret = "a secret of the tests, and long enough"
    const pc = openService({ url: apiRoot, database: join(folder, "commentary.db"), outbox, secret })
    const service = createExampleServer(pc, 0)
    const { spans, tracer } = RecordedSpans.make()
    const tokens = yield* Effect.provide(story, Layer.merge(service, outboxLayer({ folder: outbox }))).pipe(
      Effect.provideService(Tracer.Tracer, tracer)
    )
    const traced = spans.map(({ attributes, name }) => `${name} ${JSON.stringify([...attributes])}`).join("\n")
    assert.include(traced, "/partner/v1/topics")
    assert.include(traced, "/creator/:token/respond")
    for (const token of tokens) assert.notInclude(traced, token)
  })
)

const story = Effect.gen(function* () {
  const server = yield* HttpServer.HttpServer
  const root = HttpServer.formatAddress(server.address)
  const outbox = yield* Outbox
  const owner = yield* Seed.createOrganization({ name: "Courtside App" })
  const ada = yield* Seed.createPersona(owner, { name: "Ada Vance" })
  const { text: key } = yield* Seed.issueApiKey(owner)

  const call = (path: string, body?: unknown) =>
    Effect.promise(async () => {
      const response = await fetch(`${root}${path}`, {
        headers: { "x-api-key": key, "content-type": "application/json", accept: "application/json" },
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
      })
      return { status: response.status, text: await response.text() }
    })
  const mail = (subject: RegExp) =>
    eventually(Effect.map(outbox.list, (mails) => mails.find((each) => subject.test(each.subject))))
  const tokenIn = (text: string) =>
    new RegExp(`${apiRoot}/creator/(\\S+)`).exec(text)?.[1] ?? assert.fail("the mail has no link")

  assert.deepStrictEqual(yield* call("/"), { status: 200, text: "Your application." })

  const created = yield* call("/partner/v1/topics", {
    content: "Will the Lakers make the play-offs?",
    persona_ids: [ada.id]
  })
  assert.strictEqual(created.status, 201)
  const { topic_id } = JSON.parse(created.text).data

  const request = yield* mail(/^Courtside App asks Ada Vance/)
  assert.include(request.to, ada.creator.email)
  const tokens = [tokenIn(request.text)]
  assert.strictEqual((yield* call(`/creator/${tokens[0]}/respond`, { perspective })).status, 200)

  const draft = yield* mail(/^A draft for Ada Vance is ready/)
  tokens.push(tokenIn(draft.text))
  assert.strictEqual((yield* call(`/creator/${tokens[1]}/approve`, {})).status, 200)

  const { data } = JSON.parse((yield* call(`/partner/v1/topics/${topic_id}/commentaries`)).text)
  assert.strictEqual(data.commentaries.length, 1)
  assert.include(data.commentaries[0].content, perspective)
  return tokens
})
