/** Every operation with every kind of caller: the answer follows from what the operation asks for, and from nothing else. */
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
import * as TestClock from "effect/testing/TestClock"
import { byKey, byToken, type Caller, type Whose } from "./authorization/Callers.ts"
import { type Owner, settle, share, snapshot, webhook } from "./authorization/Estate.ts"
import { bodies } from "./authorization/Examples.ts"
import { homeOf, type Operation, operations, scopeOf, send, type Things } from "./authorization/Operations.ts"
import { type Expected, expected } from "./authorization/Rule.ts"

/** Over real sockets, behind a proxy that says who calls. */
const behindProxy = TestApi.layerHttp.pipe(
  Layer.provideMerge(TestApi.workers),
  Layer.provideMerge(Application.layer({ outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) })),
  Layer.provide(Layer.succeed(TrustedProxies, Result.getOrThrow(IpAllowList.parse(["127.0.0.1"]))))
)

const nothing = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"
const unknown: Things = {
  topic: nothing,
  commentary: nothing,
  reference: "reference-of-nobody-ever",
  persona: nothing,
  webhook: nothing,
  key: nothing,
  share: nothing
}

const owning = Effect.fnUntraced(function* (name: string) {
  const organization = yield* Seed.organization({ name })
  const live = (yield* Seed.key(organization)).text
  const test = (yield* Seed.key(organization, { environment: "test" })).text
  const owner: Owner = { organization, live, test, token: yield* Seed.token(organization) }
  return owner
})

/** The first organization with its things, another one, and everyone who calls. */
const scene = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 0, 30, 12))
  const owner = yield* owning("The First")
  const stranger = yield* owning("Somebody Else")
  const persona = yield* Seed.persona(owner.organization, { name: "Ada of the First" })
  const common = yield* Seed.persona(owner.organization, { name: "Common to All" })
  yield* Seed.license(stranger.organization, common)
  const all = yield* operations
  const { simulated, things } = yield* settle(owner, persona)
  const tokens = yield* byToken(owner, stranger)
  const callers = {
    live: [...tokens, ...(yield* byKey(owner, stranger, "live"))],
    test: [...tokens.filter(({ key }) => typeof key === "string"), ...(yield* byKey(owner, stranger, "test"))]
  }
  // By now some keys and tokens have expired, and a grace is over.
  yield* TestClock.adjust("5 minutes")
  let count = 0
  const next = () => ++count
  const cells = all.flatMap((operation) =>
    callers[homeOf(operation)].map((caller) => ({ operation, caller, answer: expected(operation, caller) }))
  )
  return { owner, common: common.id as string, all, things, simulated, next, cells }
})

type Scene = Effect.Success<typeof scene>

interface Cell {
  readonly operation: Operation
  readonly caller: Caller
  readonly answer: Expected
}

/** Each call from an address of its own, lest strangers be too many; the same request id, lest it make the difference. */
const ask = ({ common, next }: Scene, { caller, operation }: Cell, things: Things) => {
  const nth = next()
  const body = bodies[operation.id]?.({ nth, common, things })
  const from = `10.${nth >> 16}.${(nth >> 8) & 255}.${nth & 255}`
  const headers = { "x-request-id": "same", "x-forwarded-for": from, ...caller.headers }
  return Effect.map(send(operation, things, { headers, ...(body === undefined ? {} : { body }) }), (answered) => {
    const told = [...answered.headers].filter(([name]) => !["x-ratelimit-remaining", "date"].includes(name))
    const text = Object.values(things).reduce((text, thing) => text.replaceAll(thing, "…"), answered.text)
    return { ...answered, bytes: JSON.stringify([answered.status, told, text]) }
  })
}

const named = ({ caller, operation }: Cell) => `${operation.id} by ${caller.name}`

/** What the cell's owner may spoil, made for this cell alone. */
const fresh = Effect.fnUntraced(function* ({ next, owner, things }: Scene, { method, path }: Operation) {
  if (method === "GET") return things
  if (path.includes("/webhooks/")) return { ...things, webhook: yield* webhook(owner) }
  if (path.includes("/api-keys/")) return { ...things, key: (yield* Seed.key(owner.organization)).id as string }
  if (path.includes("/assignments/")) return { ...things, share: (yield* share(owner, next())).share }
  return things
})

/** Words that are the first organization's alone: personas are shown to all of an organization's keys, simulated topics to its test keys. */
const hidden = ({ simulated, things }: Scene, { operation }: Cell, whose: Whose): ReadonlyArray<string> => {
  const { persona, share, ...always } = things
  const marks = [...Object.values(always), "The First", "the-first"]
  if (whose === "other organization") return [...marks, persona, share, simulated]
  return homeOf(operation) === "test" ? [...marks, share, simulated] : marks
}

it.effect("every operation asks for the scope of what it does, or for a token, and has an example request", () =>
  Effect.gen(function* () {
    const all = yield* operations
    assert.deepStrictEqual(Object.keys(bodies).toSorted(), all.map(({ id }) => id).toSorted())
    for (const operation of all) {
      const scope = scopeOf(operation)
      const scheme = scope === undefined ? "DashboardToken" : "ApiKey"
      assert.deepStrictEqual([operation.scheme, operation.scope], [scheme, scope], operation.id)
    }
  }).pipe(Effect.provide(behindProxy))
)

it.effect("whoever may not is refused by rule, learns nothing, and changes nothing", () =>
  Effect.gen(function* () {
    const present = yield* scene
    const { all, cells, owner, simulated, things } = present
    const hostile = cells.filter(({ answer }) => answer.is !== "success" || answer.whose !== "own")
    const look = snapshot(owner, all, things, simulated)
    const before = yield* look
    for (const cell of hostile) {
      const { answer, operation } = cell
      const met = yield* ask(present, cell, things)
      if (answer.is === "refused") {
        assert.deepStrictEqual([met.status, met.code], [answer.status, answer.code], named(cell))
        if (met.status === 401) {
          assert.deepStrictEqual(Object.keys(JSON.parse(met.text).error).toSorted(), ["code", "message"])
          if (operation.scope !== undefined && answer.code === "scope_denied") assert.include(met.text, operation.scope)
          assert.strictEqual((yield* ask(present, cell, unknown)).bytes, met.bytes, named(cell))
        }
      } else if (answer.is === "unknown") {
        assert.deepStrictEqual([met.status, met.code], [404, "not_found"], named(cell))
        assert.strictEqual((yield* ask(present, cell, unknown)).bytes, met.bytes, named(cell))
      } else {
        assert.strictEqual(met.status, operation.success, `${named(cell)}: ${met.text}`)
        for (const thing of hidden(present, cell, answer.whose)) assert.notInclude(met.text, thing, named(cell))
      }
    }
    assert.deepStrictEqual(yield* look, before)
    assert.isAbove(hostile.length, 20 * all.length)
  }).pipe(Effect.provide(behindProxy))
)

const made = ({ id }: Operation, data: { readonly id: string }): Partial<Things> => {
  if (id === "createWebhook") return { webhook: data.id }
  return id === "createApiKey" || id === "rotateApiKey" ? { key: data.id } : {}
}

/** There are 20 active keys and 20 webhooks at most. */
const tidied = Effect.fnUntraced(function* ({ owner, things }: Scene, { id }: Operation, left: Things) {
  if (left.key !== things.key) yield* (yield* ApiKeys).revoke(ApiKeyId.make(left.key))
  if (left.webhook === things.webhook || id === "deleteWebhook") return
  const { call } = yield* TestApi
  const { status } = yield* call(`/partner/v1/webhooks/${left.webhook}`, { method: "DELETE", key: owner.live })
  assert.strictEqual(status, 200)
})

it.effect("whoever may, succeeds", () =>
  Effect.gen(function* () {
    const present = yield* scene
    const own = present.cells.filter(({ answer }) => answer.is === "success" && answer.whose === "own")
    for (const cell of own) {
      const { operation } = cell
      const things = yield* fresh(present, operation)
      const met = yield* ask(present, cell, things)
      assert.strictEqual(met.status, operation.success, `${named(cell)}: ${met.text}`)
      yield* tidied(present, operation, { ...things, ...made(operation, JSON.parse(met.text).data) })
    }
    for (const operation of present.all)
      assert.isTrue(
        own.some((cell) => cell.operation === operation),
        `${operation.id} is open to nobody`
      )
  }).pipe(Effect.provide(behindProxy))
)
