/** Tests the Effect application over a socket: its own routes, the service below a path, and a shared transaction. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { OrganizationId } from "@partner-commentary/core/shared/Ids"
import { Topics } from "@partner-commentary/core/topic/Topics"
import { Outbox, layer as outboxLayer } from "@partner-commentary/smtp/Outbox"
import * as HostConformance from "@partner-commentary/test/HostConformance"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as Tracer from "effect/Tracer"
import * as RecordedSpans from "../../hosts/test/test/support/RecordedSpans.ts"
import { createExampleApplication } from "../effect-application.ts"

const apiRoot = "http://commentary.example/commentary"
const newsroom = "0198c0de-0000-7000-8000-00000000abcd"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "effect-application-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

const servedAt = (apiRoot: string) =>
  Effect.map(temporaryFolder, (folder) => {
    const outbox = join(folder, "outbox")
    const secret = "a secret of the tests, and long enough"
    const options = { port: 0, apiRoot, filename: join(folder, "app.db"), outbox, secret, newsroom }
    return Layer.merge(createExampleApplication(options), outboxLayer({ folder: outbox }))
  })

const served = servedAt(apiRoot)

const port = Effect.map(HttpServer.HttpServer, ({ address }) => ("port" in address ? address.port : 0))

const post = (url: string, body: unknown = {}) =>
  Effect.promise(async () => {
    const headers = { "content-type": "application/json", accept: "application/json" }
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
    return { status: response.status, body: (await response.json().catch(() => null)) as { topic: string } | null }
  })

const articles = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE articles (id TEXT PRIMARY KEY, title TEXT, topic TEXT)`
  yield* sql`INSERT INTO articles ${sql.insert({ id: "a-1", title: "Will the Lakers make the play-offs?" })}`
  const owner = yield* Seed.createOrganization({ id: OrganizationId.make(newsroom) })
  yield* Seed.createPersona(owner, { name: "Ada Vance" })
  return { sql, owner }
})

const token = (subject: RegExp): Effect.Effect<string, never, Outbox> =>
  Effect.flatMap(
    Effect.flatMap(Outbox, ({ list }) => list),
    (mails) => {
      const found = /\/commentary\/creator\/(\S+)/.exec(
        mails.find((mail) => subject.test(mail.subject))?.text ?? ""
      )?.[1]
      return found === undefined ? Effect.andThen(Effect.sleep("20 millis"), token(subject)) : Effect.succeed(found)
    }
  )

it.live("a creator approves a commentary for the application's topic, and the partner fetches this commentary", () =>
  Effect.gen(function* () {
    const { spans, tracer } = RecordedSpans.make()
    const tokens = yield* Effect.gen(function* () {
      const root = `http://127.0.0.1:${yield* port}`
      const { owner, sql } = yield* articles
      const key = (yield* Seed.issueApiKey(owner)).text
      const { body } = yield* post(`${root}/articles/a-1/ask`)
      assert.deepStrictEqual(yield* sql`SELECT id, topic FROM articles`, [{ id: "a-1", topic: body?.topic }])

      const first = yield* token(/asks Ada Vance/)
      const answered = yield* post(`${root}/commentary/creator/${first}/respond`, { perspective: "They will." })
      assert.strictEqual(answered.status, 200)
      const second = yield* token(/^A draft for Ada Vance/)
      assert.strictEqual((yield* post(`${root}/commentary/creator/${second}/approve`)).status, 200)
      const found = yield* Effect.promise(() =>
        fetch(`${root}/commentary/partner/v1/topics/by-reference/a-1`, { headers: { "x-api-key": key } }).then(
          (response) => response.text()
        )
      )
      assert.include(found, "They will.")
      return [first, second]
    }).pipe(Effect.provide(yield* served), Effect.provideService(Tracer.Tracer, tracer))
    const traced = spans.map(({ attributes, name }) => `${name} ${JSON.stringify([...attributes])}`).join("\n")
    assert.include(traced, "/commentary/partner/v1/topics")
    assert.include(traced, "/creator/:token/respond")
    for (const token of tokens) assert.notInclude(traced, token)
  })
)

it.live("if the application's own change fails, no topic is stored and no creator gets a mail", () =>
  Effect.gen(function* () {
    const { sql } = yield* articles
    yield* sql`CREATE TRIGGER no BEFORE UPDATE ON articles BEGIN SELECT RAISE(ABORT, 'no'); END`
    assert.strictEqual((yield* post(`http://127.0.0.1:${yield* port}/articles/a-1/ask`)).status, 500)
    const owner = { organizationId: OrganizationId.make(newsroom), environment: "live" } as const
    const lost = yield* Effect.flip((yield* Topics).byReference(owner, "a-1"))
    assert.strictEqual(lost._tag, "ReferenceNotFound")
    assert.deepStrictEqual(yield* sql`SELECT 1 FROM mails`, [])
  }).pipe((test) => Effect.flatMap(served, (layer) => Effect.provide(test, layer)))
)

it.live("requests outside the service's path reach the application's own routes", () =>
  Effect.gen(function* () {
    const root = `http://127.0.0.1:${yield* port}`
    for (const path of ["/", "/healthz", "/partner/v1/personas", "/commentarypartner", "/articles/a-1/ask"]) {
      const response = yield* Effect.promise(() => fetch(`${root}${path}`))
      assert.deepStrictEqual([path, response.status, response.headers.get("x-request-id")], [path, 404, null])
    }
  }).pipe((test) => Effect.flatMap(served, (layer) => Effect.provide(test, layer)))
)

it.live("the start is refused with one sentence if the service's URL has no path", () =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(Effect.provide(port, yield* servedAt("http://commentary.example/")))
    assert.include(String(exit), "needs a path in the public address")
  })
)

it.live("a service below a path of the application returns the same responses as the standalone server", () =>
  Effect.gen(function* () {
    const partner = yield* HostConformance.seedPartner("127.0.0.1")
    const ask = HostConformance.requestOverSocket({ port: yield* port })
    assert.isAbove(yield* Effect.promise(() => HostConformance.checkConformance({ ask, apiRoot, partner })), 90)
  }).pipe((test) => Effect.flatMap(served, (layer) => Effect.provide(test, layer)))
)
