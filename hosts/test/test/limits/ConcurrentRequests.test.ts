/**
 * Tests which operations count toward the concurrency limit of their organization. The test covers every operation of
 * the OpenAPI document, including future operations.
 */
import { assert, it } from "@effect/vitest"
import { ConcurrencyLimit, type ConcurrencyPool } from "@partner-commentary/core/access/ConcurrencyLimit"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi, type TestApiCall } from "@partner-commentary/test/TestApi"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { findAffectedEnvironment, readOpenApiOperations, sendOperation } from "../support/authorization/Operations.ts"

interface Taken {
  readonly pool: ConcurrencyPool
  readonly organization: OrganizationId
}

class Places extends Context.Service<Places, Array<Taken>>()("Places") {}

const watched = Layer.effect(
  ConcurrencyLimit,
  Effect.gen(function* () {
    const limit = yield* ConcurrencyLimit
    const taken = yield* Places
    return ConcurrencyLimit.of({
      tryTake: (pool, organization) => {
        const permit = limit.tryTake(pool, organization)
        if (permit !== undefined) taken.push({ pool, organization })
        return permit
      },
      withPermit: (pool, organization, work, whenTaken) => {
        taken.push({ pool, organization })
        return limit.withPermit(pool, organization, work, whenTaken)
      }
    })
  })
)

const application = Application.layer({ outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) })

const observed = TestApi.layerMemory.pipe(
  Layer.provide(watched),
  Layer.provideMerge(
    Layer.merge(
      application,
      Layer.sync(Places, () => [])
    )
  )
)

const nothing = "019c0e5f-03aa-7001-8000-94d0b7f3a6e2"
const resourceIds = { topic: nothing, commentary: nothing, reference: "none", persona: nothing }
const others = { webhook: nothing, delivery: nothing, key: nothing, assignment: nothing }

const pools: Readonly<Record<string, ConcurrencyPool>> = {
  createTopic: "frequent",
  getTopicStatus: "frequent",
  createTopics: "large",
  cancelTopic: "large",
  getTopicByReference: "large",
  testWebhook: "outgoing",
  streamEvents: "streaming"
}

it.effect("each call counts once toward the organization's concurrency limit for the call's kind of operation", () =>
  Effect.gen(function* () {
    const taken = yield* Places
    const owner = yield* Seed.createOrganization()
    const keys = {
      live: (yield* Seed.issueApiKey(owner)).text,
      test: (yield* Seed.issueApiKey(owner, { environment: "test" })).text
    }
    const token = yield* Seed.issueDashboardToken(owner)
    const all = yield* readOpenApiOperations
    assert.isAbove(all.length, 20)
    const seen: Record<string, ReadonlyArray<Taken>> = {}
    for (const operation of all) {
      const credentials = operation.scheme === "ApiKey" ? { key: keys[findAffectedEnvironment(operation)] } : { token }
      yield* sendOperation(
        operation,
        { ...resourceIds, ...others },
        { ...credentials, ...(operation.takesBody ? { body: {} } : {}) }
      )
      seen[operation.id] = taken.splice(0)
    }
    assert.deepStrictEqual(
      seen,
      Object.fromEntries(all.map(({ id }) => [id, [{ pool: pools[id] ?? "standard", organization: owner.id }]]))
    )
    for (const id of Object.keys(pools)) assert.isDefined(seen[id], id)
  }).pipe(Effect.provide(observed))
)

it.effect(
  "a submission with a large or chunked body counts as a standard request, and a poll that waits as waiting",
  () =>
    Effect.gen(function* () {
      const taken = yield* Places
      const { call } = yield* TestApi
      const key = (yield* Seed.issueApiKey(yield* Seed.createOrganization())).text
      const poolOf = (path: string, options: TestApiCall) =>
        Effect.map(call(`/partner/v1${path}`, { key, ...options }), () => taken.splice(0).map(({ pool }) => pool))
      const submission = (headers: Record<string, string>) => poolOf("/topics", { method: "POST", body: {}, headers })
      assert.deepStrictEqual(yield* submission({ "content-length": "2048" }), ["frequent"])
      assert.deepStrictEqual(yield* submission({ "content-length": "2049" }), ["standard"])
      assert.deepStrictEqual(yield* submission({ "transfer-encoding": "chunked" }), ["standard"])
      const poll = (prefer: string) => poolOf(`/topics/${nothing}/status`, { headers: { prefer } })
      assert.deepStrictEqual(yield* poll("wait=0"), ["frequent"])
      assert.deepStrictEqual(yield* poll("wait=1"), ["waiting"])
    }).pipe(Effect.provide(observed))
)
