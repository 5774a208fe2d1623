/** Tests that each example of a port's implementation passes the test suite of that port. */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Mailer } from "@partner-commentary/core/mail/Mailer"
import { OrganizationStore } from "@partner-commentary/core/partner/OrganizationStore"
import { OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as SqliteClient from "@partner-commentary/sqlite/SqliteClient"
import * as DashboardTokenVerifierSuite from "@partner-commentary/testkit/DashboardTokenVerifierSuite"
import * as MailerSuite from "@partner-commentary/testkit/MailerSuite"
import * as OrganizationReadingSuite from "@partner-commentary/testkit/OrganizationReadingSuite"
import * as PersonaReadingSuite from "@partner-commentary/testkit/PersonaReadingSuite"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { SignJWT } from "jose"
import * as OwnDashboardIdentity from "../own-dashboard-identity.ts"
import * as OwnMailer from "../own-mailer.ts"
import * as OwnPersonaStore from "../own-persona-store.ts"

const secret = Redacted.make("a secret of the tests, and long enough")

/**
 * Simulates a mail service that stores accepted mails and responds with the given status. If the status is null, the
 * mail service never responds.
 */
class MailService extends Context.Service<
  MailService,
  { readonly url: string; readonly taken: Array<MailerSuite.ReceivedMail>; status: number | null }
>()("@partner-commentary/examples/test/MailService") {
  static readonly layer = Layer.effect(
    MailService,
    Effect.gen(function* () {
      const taken: Array<MailerSuite.ReceivedMail> = []
      const server = createServer(async (request, response) => {
        assert.strictEqual(request.headers.authorization, `Bearer ${Redacted.value(secret)}`)
        const chunks = await request.toArray()
        if (service.status === 202) taken.push(JSON.parse(Buffer.concat(chunks).toString()))
        if (service.status !== null) response.writeHead(service.status).end("{}")
      })
      yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))),
        () => Effect.sync(() => server.close().closeAllConnections())
      )
      const { port } = server.address() as AddressInfo
      const service = MailService.of({ url: `http://127.0.0.1:${port}/mails`, taken, status: 202 })
      return service
    })
  )
}

const mailer = (url: string) =>
  OwnMailer.layer({ url, token: secret, from: "Desk <desk@host.example>", domain: "host.example" })

const mailing = Layer.provideMerge(Layer.unwrap(Effect.map(MailService, ({ url }) => mailer(url))), MailService.layer)

MailerSuite.suite(
  "by a mail service",
  mailing,
  MailService.use(({ taken }) => Effect.succeed(taken))
)

const mail = { id: "a.request", to: { name: "Ada", address: "ada@host.example" }, subject: "s", text: "t", html: "h" }

describe("the example mailer for an HTTP mail service", () => {
  it.live(
    "the mailer for a mail service distinguishes permanent from temporary failures, and never reveals its token",
    () =>
      Effect.gen(function* () {
        const { send } = yield* Mailer
        const service = yield* MailService
        for (const [status, permanent] of [
          [422, true],
          [400, true],
          [401, false],
          [429, false],
          [503, false]
        ] as const) {
          service.status = status
          const refused = yield* Effect.flip(send(mail))
          assert.deepStrictEqual([refused._tag, refused.permanent], ["MailRefused", permanent], String(status))
          assert.notInclude(refused.reason, Redacted.value(secret))
        }
        assert.isFalse(
          (yield* Effect.flip(
            Effect.provide(
              Mailer.use(({ send }) => send(mail)),
              mailer("http://127.0.0.1:1/")
            )
          )).permanent
        )
      }).pipe(Effect.provide(mailing))
  )

  it.effect("the example mailer stops waiting for a mail service that does not answer", () =>
    Effect.gen(function* () {
      const { send } = yield* Mailer
      ;(yield* MailService).status = null
      const sending = yield* Effect.forkChild(Effect.flip(send(mail)))
      yield* TestClock.adjust("15 seconds")
      assert.isFalse((yield* Fiber.join(sending)).permanent)
    }).pipe(Effect.provide(mailing))
  )
})

const rules = { issuer: "https://login.host.example", audience: "commentary" }
const mint = Layer.succeed(DashboardTokenVerifierSuite.TokenIssuer, {
  ...rules,
  organizationClaim: "tenant",
  sign: (claims) =>
    Effect.promise(() =>
      new SignJWT({ ...claims }).setProtectedHeader({ alg: "HS256" }).sign(Buffer.from(Redacted.value(secret)))
    )
})

DashboardTokenVerifierSuite.suite("the host's own login", Layer.merge(OwnDashboardIdentity.layer(secret, rules), mint))

const tables = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE TABLE authors (id TEXT PRIMARY KEY, pen_name TEXT, about TEXT, email TEXT, joined TEXT)`
    yield* sql`CREATE TABLE contracts (author TEXT, partner TEXT, ends TEXT)`
  })
)

PersonaReadingSuite.suite(
  "the host's own tables",
  OwnPersonaStore.layer.pipe(
    Layer.provideMerge(tables),
    Layer.provideMerge(SqliteClient.layer({ filename: ":memory:" }))
  ),
  {
    publish: ({ bio: about, createdAt, creator: { email }, id, name: pen_name }) =>
      SqlClient.SqlClient.use(
        (sql) =>
          sql`INSERT INTO authors ${sql.insert({ id, pen_name, about, email, joined: Instant.toIso(createdAt) })}`
      ),
    license: (partner, author, until) =>
      SqlClient.SqlClient.use(
        (sql) =>
          sql`INSERT INTO contracts ${sql.insert({ author, partner, ends: until === null ? null : Instant.toIso(until) })}`
      ),
    existing: (partner) =>
      SqlClient.SqlClient.use((sql) => {
        const id = "5D3F0F6A-8C1E-4B7A-9D55-0E2F4C6B8A91"
        const author = { id, pen_name: "Bo", about: "", email: "bo@host.example", joined: "2020-01-01T00:00:00.000Z" }
        return Effect.andThen(
          sql`INSERT INTO authors ${sql.insert(author)}`,
          sql`INSERT INTO contracts ${sql.insert({ author: id, partner, ends: null })}`
        )
      })
  }
)

/**
 * Reads organizations from the host's own table. All organizations have one plan. The service's own tables do not exist
 * in this test.
 */
const tenants = Layer.effect(
  OrganizationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE TABLE tenants (key TEXT PRIMARY KEY, name TEXT, login TEXT, mail TEXT, closed TEXT, since TEXT)`
    type Tenant = Record<string, string | null>
    const first = ([row]: ReadonlyArray<Tenant>) =>
      Option.map(Option.fromUndefinedOr(row), ({ closed, key, login, mail, name, since }) => ({
        id: OrganizationId.make(String(key).toLowerCase()),
        name: String(name),
        plan: "standard" as const,
        limits: {},
        contactEmail: mail ?? null,
        identityId: login ?? null,
        suspendedAt: closed == null ? null : Instant.fromIso(closed),
        createdAt: Instant.fromIso(String(since))
      }))
    return OrganizationStore.of({
      find: (id) => Effect.orDie(Effect.map(sql<Tenant>`SELECT * FROM tenants WHERE lower(key) = ${id}`, first)),
      findByIdentity: (login) =>
        Effect.orDie(Effect.map(sql<Tenant>`SELECT * FROM tenants WHERE login = ${login}`, first))
    })
  })
)

const tenant = (row: Record<"key" | "name" | "login" | "mail" | "closed" | "since", string | null>) =>
  SqlClient.SqlClient.use((sql) => sql`INSERT INTO tenants ${sql.insert(row)}`)

OrganizationReadingSuite.suite(
  "the host's own tenants",
  Layer.provideMerge(tenants, SqliteClient.layer({ filename: ":memory:" })),
  {
    register: ({ contactEmail: mail, createdAt, id: key, identityId: login, name, suspendedAt }) =>
      tenant({
        ...{ key, name, login, mail, since: Instant.toIso(createdAt) },
        closed: suspendedAt === null ? null : Instant.toIso(suspendedAt)
      }),
    existing: Effect.as(
      tenant({
        ...{ key: "5D3F0F6A-8C1E-4B7A-9D55-0E2F4C6B8A91", name: "Old", login: "old", mail: null, closed: null },
        since: "2020-01-01T00:00:00.000Z"
      }),
      "old"
    )
  }
)

it.for(["own-mailer", "own-dashboard-identity", "own-persona-store"])(
  "the example %s has fewer than thirty lines",
  (name) => {
    const source = readFileSync(join(import.meta.dirname, `../${name}.ts`), "utf8")
    const region = new RegExp(`^// #region ${name}\\n([\\s\\S]+?)^// #endregion$`, "m").exec(source)?.[1] ?? ""
    assert.notStrictEqual(region, "")
    assert.isBelow(region.trim().split("\n").length, 30)
  }
)
