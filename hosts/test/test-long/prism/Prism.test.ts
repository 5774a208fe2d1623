/**
 * Tests the service with Prism, an independent validator between client and server. Prism reads the served OpenAPI
 * document. All requests and responses of a partner's integration, including refusals, must agree with the document.
 */
import { assert, it } from "@effect/vitest"
import { ApiKeys } from "@partner-commentary/core/access/ApiKeys"
import * as IpAllowList from "@partner-commentary/core/access/IpAllowList"
import { ApiKeyId } from "@partner-commentary/core/shared/Ids"
import { TrustedProxies } from "@partner-commentary/server/ClientAddress"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import {
  buildPathWithIds,
  type Operation,
  type RequestResourceIds,
  readOpenApiOperations
} from "../../test/support/authorization/Operations.ts"
import { runPartnerIntegration } from "./PartnersStory.ts"
import { startPrismProxy, type UntypedJson } from "./Prism.ts"
import { makePrismCheckedFetch } from "./PrismCheckedFetch.ts"

const served = TestApi.layerHttp.pipe(
  Layer.provideMerge(TestApi.workers),
  Layer.provideMerge(Application.layer({ outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) })),
  Layer.provide(Layer.succeed(TrustedProxies, Result.getOrThrow(IpAllowList.parseAllowList(["127.0.0.1"]))))
)

const apiRoot = Effect.map(
  Effect.flatMap(TestApi, ({ call }) => call("/healthz")),
  ({ url }) => new URL(url).origin
)

const unknown = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"
const nothing: RequestResourceIds = {
  topic: unknown,
  commentary: unknown,
  reference: "nobodys",
  persona: unknown,
  webhook: unknown,
  delivery: unknown,
  key: unknown,
  assignment: unknown
}

it.live("the requests and responses of a partner's complete integration agree with the OpenAPI document", () =>
  Effect.gen(function* () {
    const all = yield* readOpenApiOperations
    const judge = makePrismCheckedFetch(all)
    yield* runPartnerIntegration(yield* startPrismProxy(yield* apiRoot, { requests: true }), judge)
    assert.deepStrictEqual(judge.found, [])
    const missing = all.filter(({ id, success }) => !judge.seen.has(`${id} ${success}`)).map(({ id }) => id)
    // Prism reads a whole response before it forwards the response. An event stream does not end, so streamEvents
    // cannot succeed.
    assert.deepStrictEqual(missing, ["streamEvents"], "these never succeeded")
    const unasked = all.filter(({ id, statuses }) => statuses.includes(404) && !judge.seen.has(`${id} 404`))
    assert.deepStrictEqual(unasked, [], "these were never asked for what is not there")
  }).pipe(Effect.scoped, Effect.provide(served))
)

/** Returns requests with bodies and parameters that the OpenAPI document forbids. */
const makeForbiddenRequests = ({
  id,
  keeps,
  takesBody
}: Operation): ReadonlyArray<{ query?: string; init: RequestInit }> => {
  const json = { "content-type": "application/json" }
  const bodies = takesBody
    ? ["{}", "[]", '{"scopes":1,"topics":[],"status":"x","action":"x","grace_period_seconds":-1}']
    : []
  const queries = id === "listTopics" ? ["?limit=0&offset=x&status=none"] : id === "getPerformance" ? ["?from=x"] : []
  return [
    ...bodies.map((body) => ({ init: { body, headers: json } })),
    ...(takesBody ? [{ init: { body: "{}", headers: { "content-type": "text/plain" } } }] : []),
    ...queries.map((query) => ({ query, init: {} })),
    ...(keeps ? [{ init: { body: "{}", headers: { ...json, "idempotency-key": "two words" } } }] : [])
  ]
}

it.live("every refusal that an operation can return agrees with the OpenAPI document", () =>
  Effect.gen(function* () {
    const all = yield* readOpenApiOperations
    const judge = makePrismCheckedFetch(all)
    const root = yield* startPrismProxy(yield* apiRoot, { requests: false })
    const keys = yield* ApiKeys
    const owner = yield* Seed.createOrganization()
    const tired = yield* Seed.createOrganization({ limits: { requests_per_hour: 0 } })
    const revoked = yield* Seed.issueApiKey(owner)
    yield* keys.revoke(ApiKeyId.make(revoked.id))
    const by = (key: string, token: string) => ({ "x-api-key": key, authorization: `Bearer ${token}` })
    const token = yield* Seed.issueDashboardToken(owner)
    const good = {
      live: by((yield* Seed.issueApiKey(owner)).text, token),
      test: by((yield* Seed.issueApiKey(owner, { environment: "test" })).text, token)
    }
    const refused = {
      tired: by((yield* Seed.issueApiKey(tired)).text, yield* Seed.issueDashboardToken(tired)),
      revoked: by(revoked.text, "a.b.c"),
      expired: by((yield* Seed.issueApiKey(owner, { expiresAt: 1 })).text, ""),
      elsewhere: by((yield* Seed.issueApiKey(owner, { ipAllowList: ["203.0.113.7"] })).text, ""),
      scopeless: by((yield* Seed.issueApiKey(owner, { scopes: [] })).text, "")
    }
    // Each call has its own address, so that the limit for anonymous callers does not apply.
    let calls = 0
    const ask = (operation: Operation, { headers, ...init }: RequestInit, query = "") =>
      Effect.promise(() =>
        judge.fetch(`${root}${buildPathWithIds(operation, nothing)}${query}`, {
          method: operation.method,
          headers: { "x-forwarded-for": `10.0.${++calls >> 8}.${calls & 255}`, ...(headers as Record<string, string>) },
          ...init
        })
      )
    for (const operation of all) {
      const mine = operation.path.includes("/test/") ? good.test : good.live
      yield* ask(operation, {})
      for (const headers of Object.values(refused)) yield* ask(operation, { headers })
      for (const { init, query } of makeForbiddenRequests(operation))
        yield* ask(operation, { ...init, headers: { ...mine, ...(init.headers as Record<string, string>) } }, query)
    }
    assert.deepStrictEqual(judge.found, [])
    const wanted = all.flatMap((operation) =>
      [401, 429, ...(makeForbiddenRequests(operation).length > 0 ? [400] : [])].map(
        (status) => `${operation.id} ${status}`
      )
    )
    assert.deepStrictEqual(
      wanted.filter((one) => !judge.seen.has(one)),
      [],
      "these were never seen"
    )
  }).pipe(Effect.scoped, Effect.provide(served))
)

/**
 * Changes the OpenAPI document so that Prism must report faults, each in the response of a different operation. If
 * Prism did not report the planted faults, a run without reports would prove nothing.
 */
const plant = ({ paths }: UntypedJson) => {
  const get = (path: string) => paths[`/partner/v1${path}`].get.responses
  const body = (answer: UntypedJson, data: object) => {
    answer.content["application/json"].schema = { type: "object", properties: { data } }
  }
  body(get("/usage")[200], { type: "object", properties: { period: { type: "string" } } })
  body(get("/personas")[200], { type: "array", items: { type: "object", required: ["nothing_like_it"] } })
  body(get("/api-keys")[200], {
    type: "array",
    items: { type: "object", properties: { revoked_at: { type: ["string", "integer"] } } }
  })
  body(get("/webhooks")[200], { type: "array", minItems: 1 })
  body(get("/topics")[200], { type: ["array", "null"], maxItems: 0, items: { $ref: "#/components/schemas/Topic" } })
  get("/metrics/performance")[200].headers["X-Nowhere"] = { required: true, schema: { type: "string" } }
  delete get("/topics/{id}/status")[404]
}

it.live("Prism reports responses with a wrong type, field, null, length, header or status", () =>
  Effect.gen(function* () {
    const judge = makePrismCheckedFetch(yield* readOpenApiOperations)
    const root = yield* startPrismProxy(yield* apiRoot, { requests: true, planted: plant })
    const owner = yield* Seed.createOrganization()
    yield* Seed.createPersona(owner)
    const headers = {
      "x-api-key": (yield* Seed.issueApiKey(owner)).text,
      authorization: `Bearer ${yield* Seed.issueDashboardToken(owner)}`
    }
    const ask = (path: string) => Effect.promise(() => judge.fetch(`${root}/partner/v1${path}`, { headers }))
    const status = `/topics/${unknown}/status`
    const planted = ["/usage", "/personas", "/api-keys", "/webhooks", "/metrics/performance", status]
    for (const [index, path] of planted.entries()) {
      yield* ask(path)
      assert.lengthOf(judge.found, index + 1, path)
    }
    // The changed schema of GET /topics allows an array or null, so an empty list conforms.
    yield* ask("/topics")
    assert.lengthOf(judge.found, planted.length)
  }).pipe(Effect.scoped, Effect.provide(served))
)
