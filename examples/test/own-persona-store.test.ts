/**
 * Tests the service with the host's own personas and licences. All data except personas and licences is in the
 * service's own stores.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, it } from "@effect/vitest"
import { DashboardTokenVerifier } from "@partner-commentary/core/access/DashboardTokenVerifier"
import * as Core from "@partner-commentary/core/Core"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { SigningSecrets } from "@partner-commentary/core/shared/SigningSecrets"
import * as LocalGenerator from "@partner-commentary/generator/LocalGenerator"
import * as Workers from "@partner-commentary/server/Workers"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as OwnPersonaStore from "../own-persona-store.ts"

const licensed = "0190a5d8-0000-7000-8000-000000000001"
const lapsed = "0190a5d8-0000-7000-8000-000000000002"
const stranger = "0190a5d8-0000-7000-8000-000000000003"

const service = Layer.merge(TestApi.layerMemory, Workers.layer).pipe(
  Layer.provideMerge(Core.layer),
  Layer.provide(DashboardTokenVerifier.layerNone),
  Layer.provideMerge(OwnPersonaStore.layerWithOwnPersonas(":memory:")),
  Layer.provideMerge([
    Mailbox.layer,
    InMemoryWebhookReceivers.layer,
    LocalGenerator.layer,
    Core.layerProcess,
    NodeCrypto.layer
  ]),
  Layer.provideMerge([
    PublicAddress.layer("http://test.invalid"),
    SigningSecrets.layer(Redacted.make("a secret of the tests, and long enough"))
  ])
)

const hostsTables = Effect.fnUntraced(function* (partner: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE authors (id TEXT PRIMARY KEY, pen_name TEXT, about TEXT, email TEXT, joined TEXT)`
  yield* sql`CREATE TABLE contracts (author TEXT, partner TEXT, ends TEXT)`
  const joined = "2020-01-01T00:00:00.000Z"
  yield* sql`INSERT INTO authors ${sql.insert([
    { id: licensed, pen_name: "Ada Vance", about: "Twenty years courtside.", email: "ada@host.example", joined },
    { id: lapsed, pen_name: "Bo Lindqvist", about: "", email: "bo@host.example", joined },
    { id: stranger, pen_name: "Cy Okafor", about: "", email: "cy@host.example", joined }
  ])}`
  yield* sql`INSERT INTO contracts ${sql.insert([
    { author: licensed, partner, ends: "2999-01-01T00:00:00.000Z" },
    { author: lapsed, partner, ends: "2021-01-01T00:00:00.000Z" }
  ])}`
})

it.live("a partner can list the host's own authors and send them topics, if the host's own contracts permit this", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const owner = yield* Seed.createOrganization({ name: "Courtside App" })
    const { text: key } = yield* Seed.issueApiKey(owner)
    yield* hostsTables(owner.id)
    const json = <Data>(response: Response) =>
      Effect.map(
        Effect.promise(() => response.json() as Promise<{ data: Data }>),
        ({ data }) => data
      )

    const list = yield* json<ReadonlyArray<{ id: string; name: string }>>(yield* call("/partner/v1/personas", { key }))
    assert.deepStrictEqual(
      list.map(({ id, name }) => [id, name]),
      [[licensed, "Ada Vance"]]
    )
    const detail = yield* json<{ bio: string }>(yield* call(`/partner/v1/personas/${licensed}`, { key }))
    assert.strictEqual(detail.bio, "Twenty years courtside.")
    assert.strictEqual((yield* call(`/partner/v1/personas/${lapsed}`, { key })).status, 403)

    const created = yield* call("/partner/v1/topics", {
      method: "POST",
      key,
      body: { content: "Will the Lakers make the play-offs?", persona_ids: [licensed, lapsed, stranger] }
    })
    assert.strictEqual(created.status, 201)
    assert.deepStrictEqual(
      (yield* json<{ results: ReadonlyArray<{ status: string }> }>(created)).results.map(({ status }) => status),
      ["sent", "not_licensed", "not_licensed"]
    )
    const mailbox = yield* Mailbox
    while ((yield* mailbox.to("ada@host.example")).length === 0) yield* Effect.sleep("10 millis")
    assert.strictEqual((yield* mailbox.all).length, 1)
  }).pipe(Effect.provide(service))
)
