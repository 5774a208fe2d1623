/**
 * Calls the whole service as a partner's server and dashboard do. These helpers do not import the types of the API, so
 * that the tests check responses against the specification only.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import * as IpAllowList from "@partner-commentary/core/access/IpAllowList"
import type { Organization } from "@partner-commentary/core/partner/Organization"
import { TrustedProxies } from "@partner-commentary/server/ClientAddress"
import * as Application from "@partner-commentary/test/Application"
import { extractCreatorToken, Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi, type TestApiCall } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../Eventually.ts"
import { layerTestApi } from "../Loopback.ts"

/** A time in the middle of a month and of a day. */
export const testClockStart = Date.parse("2026-02-10T09:00:00.000Z")
export const testClockStartInSeconds = testClockStart / 1000
export const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const timestampPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
export const unknownId = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"
export const allScopes = ["personas:read", "topics:submit", "topics:read", "usage:read"]

/** By default the service trusts the test as a proxy, so that a test can send requests from any client address. */
export const layerOfApplication = ({
  proxies = ["127.0.0.1", "10.0.0.0/8"],
  ...options
}: Application.ServiceCompositionOptions & { readonly proxies?: ReadonlyArray<string> } = {}) =>
  layerTestApi.pipe(
    Layer.provideMerge(TestApi.workers),
    Layer.provideMerge(Application.layer({ ...options, outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) })),
    Layer.provide(Layer.succeed(TrustedProxies, Result.getOrThrow(IpAllowList.parseAllowList(proxies))))
  )

type Service = Layer.Success<ReturnType<typeof layerOfApplication>>

export const registerServiceTest = <A, E>(
  sentence: string,
  test: Effect.Effect<A, E, Service>,
  options?: Parameters<typeof layerOfApplication>[0]
) =>
  it.effect(sentence, () =>
    Effect.andThen(TestClock.setTime(testClockStart), test).pipe(Effect.provide(layerOfApplication(options)))
  )

/**
 * Runs the effect on a new instance of the service. The new instance simulates another process on the same database
 * file.
 */
export const runOnSeparateInstance = <A, E>(filename: string, test: Effect.Effect<A, E, Service>) =>
  test.pipe(Effect.provide(Layer.fresh(layerOfApplication({ filename }))))

/** Creates a database file, and deletes the file after the test. */
export const makeDatabaseFile = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "conformance-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ),
  (folder) => join(folder, "test.db")
)

/** Returns all rows of all tables as text. */
export const readAllRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql.onDialectOrElse({
    pg: () => sql<{ readonly name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    orElse: () => sql<{ readonly name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`
  })
  const rows = yield* Effect.forEach(tables, ({ name }) => sql`SELECT * FROM ${sql(name)}`)
  return JSON.stringify(rows)
})

/** The first argument is a method and a path below `{base_url}`, such as `sendRequest("GET /usage", { key })`. */
export const sendRequest = Effect.fnUntraced(function* (line: string, call: TestApiCall = {}) {
  const [method = "", path = ""] = line.split(" ")
  const { call: send } = yield* TestApi
  const response = yield* send(`/partner/v1${path}`, { method, ...call })
  const text = yield* Effect.promise(() => response.text())
  const body = JSON.parse(text === "" ? "{}" : text)
  return { status: response.status, headers: response.headers, text, body, data: body.data, error: body.error }
})

export type ApiResponse = Effect.Success<ReturnType<typeof sendRequest>>

/** Returns the response's status, and the error code if the response is a refusal. */
export const formatStatusAndCode = ({ error, status }: ApiResponse): string =>
  error === undefined || error === null ? `${status}` : `${status} ${error.code}`

/** Returns the values of the limit, remaining and reset headers. */
export const readRateLimitHeaders = ({ headers }: ApiResponse): ReadonlyArray<number> =>
  ["limit", "remaining", "reset"].map((name) => Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN))

/** Returns the names of the fields in an `invalid_request` error, in order. */
export const readInvalidFields = (answer: ApiResponse): ReadonlyArray<string> => {
  assert.strictEqual(formatStatusAndCode(answer), "400 invalid_request")
  return answer.error.details.errors.map(({ field }: { readonly field: string }) => field)
}

/** Creates an organization with one licensed persona, a key with every scope and a dashboard token. */
export const seedPartner = Effect.fnUntraced(function* (given: Partial<Organization> = {}) {
  const owner = yield* Seed.createOrganization(given)
  const persona = yield* Seed.createPersona(owner)
  const { id: keyId, text: key } = yield* Seed.issueApiKey(owner)
  const token = yield* Seed.issueDashboardToken(owner, { subject: "ada" })
  const submit = (content: string, call: TestApiCall & { readonly more?: object } = {}) => {
    const { more, ...rest } = call
    return sendRequest("POST /topics", { key, body: { content, persona_ids: [persona.id], ...more }, ...rest })
  }
  const createKey = (given: object = {}) =>
    sendRequest("POST /api-keys", { token, body: { name: "Backend", scopes: allScopes, ...given } })
  return { owner, persona, keyId, key, token, submit, createKey }
})

/** Returns the token in the newest mail to a creator's address. */
export const findCreatorToken = Effect.fnUntraced(function* (email: string, mails = 1) {
  const mailbox = yield* Mailbox
  const mail = yield* eventually(
    `mail ${mails} to ${email}`,
    Effect.map(mailbox.to(email), (all) => all[mails - 1])
  )
  return extractCreatorToken(mail)
})

export const actAsCreator = Effect.fnUntraced(function* (token: string, action: string, body: unknown = {}) {
  const { call } = yield* TestApi
  const headers = { accept: "application/json" }
  const { status } = yield* call(`/creator/${token}/${action}`, { method: "POST", headers, body })
  assert.strictEqual(status, 200)
})

/** Waits until the first persona of the topic has the status. */
export const waitForStatus = (key: string, topicId: string, status: string) =>
  eventually(
    status,
    Effect.map(sendRequest(`GET /topics/${topicId}/status`, { key }), ({ data }) => data.personas[0].status === status)
  )

export const validWebhookBody = { url: "https://partner.example/commentary", events: ["creator.approved"] }
