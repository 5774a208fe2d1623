/**
 * Tests callers without a valid key over real sockets behind a proxy. The tests check which calls count toward the
 * limit of anonymous callers, and how these calls are answered.
 */
import { assert, it } from "@effect/vitest"
import { ApiKeys } from "@partner-commentary/core/access/ApiKeys"
import { DashboardAuthentication } from "@partner-commentary/core/access/DashboardAuthentication"
import { DashboardTokenVerifier, IdentityUnreachable } from "@partner-commentary/core/access/DashboardTokenVerifier"
import * as IpAllowList from "@partner-commentary/core/access/IpAllowList"
import { TrustedProxies } from "@partner-commentary/server/ClientAddress"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { readJson } from "../support/Json.ts"

const behindProxy = TestApi.layerHttp.pipe(
  Layer.provide(Layer.succeed(TrustedProxies, Result.getOrThrow(IpAllowList.parseAllowList(["127.0.0.1"]))))
)

const application = Application.layer({ outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) })

const from = (address: string, headers: Record<string, string> = {}) => ({
  headers: { "x-forwarded-for": address, ...headers }
})

/** Sends `count` calls concurrently and groups the responses by status. */
const statuses = (count: number, path: string, init: ReturnType<typeof from>) =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const answers = yield* Effect.forEach(Array.from({ length: count }), () => call(path, init), { concurrency: 10 })
    return Object.groupBy(answers, ({ status }) => status) as Record<number, ReadonlyArray<Response>>
  })

it.effect(
  "a caller over the rate limit still gets 404 for paths outside the partner API, because the embedder may serve these paths",
  () =>
    Effect.gen(function* () {
      const { call } = yield* TestApi
      const stranger = from("203.0.113.7")
      // Calls to unknown paths also count toward the rate limit.
      assert.lengthOf((yield* statuses(60, "/elsewhere", stranger))[404] ?? [], 60)
      const refused = yield* call("/partner/v1/nowhere", stranger)
      assert.deepStrictEqual([refused.status, (yield* readJson(refused)).error.code], [429, "rate_limit_exceeded"])
      for (const path of ["/elsewhere", "/", "/partner/v1", "/partner/v2/topics", "/partner/v1x/", "/elsewhere;x"]) {
        const response = yield* call(path, stranger)
        assert.deepStrictEqual([response.status, (yield* readJson(response)).error.code], [404, "not_found"], path)
      }
    }).pipe(Effect.provide(Layer.provideMerge(behindProxy, application)))
)

it.effect("calls with an unverifiable token count toward the anonymous limit of the caller's address", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const flood = from("203.0.113.7", { authorization: "Bearer a.b.c" })
    const path = "/partner/v1/api-keys"
    const answered = yield* statuses(70, path, flood)
    assert.deepStrictEqual([answered[500]?.length, answered[429]?.length], [60, 10])
    const refused = yield* call(path, flood)
    assert.deepStrictEqual([refused.status, refused.headers.get("x-ratelimit-remaining")], [429, "240"])
    assert.strictEqual((yield* call(path, from("203.0.113.8", { authorization: "Bearer a.b.c" }))).status, 500)
  }).pipe(
    Effect.provide(
      behindProxy.pipe(
        Layer.provide(Layer.fresh(DashboardAuthentication.layer)),
        Layer.provide(
          Layer.succeed(DashboardTokenVerifier, {
            verify: () => Effect.fail(new IdentityUnreachable({ reason: "connect ECONNREFUSED" }))
          })
        ),
        Layer.provideMerge(application)
      )
    )
  )
)

it.effect(
  "an address over the anonymous limit can still use valid keys, but its key look-ups are marked as suspect",
  () => {
    const suspicions: Array<boolean | undefined> = []
    const watched = Layer.effect(
      ApiKeys,
      Effect.map(ApiKeys, (keys) => ({
        ...keys,
        authenticate: (key, address, suspect) => {
          suspicions.push(suspect)
          return keys.authenticate(key, address, suspect)
        }
      }))
    )
    return Effect.gen(function* () {
      const { call } = yield* TestApi
      const organization = yield* Seed.createOrganization()
      const { text: key } = yield* Seed.issueApiKey(organization)
      const { text: uncached } = yield* Seed.issueApiKey(organization)
      const ask = (path: string, address: string, as = key) =>
        Effect.map(call(path, from(address, { "x-api-key": as })), ({ status }) => status)
      const topics = "/partner/v1/topics"
      yield* statuses(60, topics, from("203.0.113.9"))
      assert.strictEqual((yield* call(topics, from("203.0.113.9"))).status, 429)
      suspicions.length = 0
      assert.strictEqual(yield* ask(topics, "203.0.113.9"), 200)
      assert.strictEqual(yield* ask("/partner/v1/nowhere", "203.0.113.9"), 404)
      assert.strictEqual(yield* ask(topics, "203.0.113.10", uncached), 200)
      assert.deepStrictEqual(suspicions, [true, true, false])
    }).pipe(Effect.provide(behindProxy.pipe(Layer.provide(watched), Layer.provideMerge(application))))
  }
)
