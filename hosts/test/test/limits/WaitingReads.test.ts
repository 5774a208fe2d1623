/** Tests the number of permits that a request with `Prefer: wait` holds until its client has received the response. */
import { assert, it } from "@effect/vitest"
import { ResponseEndObserver } from "@partner-commentary/server/ConcurrentRequests"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readJson } from "../support/Json.ts"
import { submitTopic } from "../support/Requests.ts"

/** The functions that release the permits of requests whose responses have not ended. */
class HeldPermits extends Context.Service<HeldPermits, Array<() => void>>()("HeldPermits") {}

/** The client of a request with the header `x-unread` never receives the response. */
const observer = Layer.effect(
  ResponseEndObserver,
  Effect.map(HeldPermits, (held) => ({ headers }) => (release) => {
    if (headers["x-unread"] === undefined) release()
    else held.push(release)
  })
)

const observed = TestApi.layerMemory.pipe(
  Layer.provideMerge(observer),
  Layer.provideMerge(Layer.sync(HeldPermits, () => [])),
  Layer.provideMerge(Application.layer({ outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) }))
)

const scene = Effect.gen(function* () {
  const owner = yield* Seed.createOrganization()
  const persona = yield* Seed.createPersona(owner)
  const key = (yield* Seed.issueApiKey(owner)).text
  const { call } = yield* TestApi
  const held = yield* HeldPermits
  const metadata = { notes: "x".repeat(15_000) }
  for (const [subject, more] of Object.entries({ title: { metadata }, cup: { metadata }, league: {} })) {
    const id = yield* submitTopic(key, `Who wins the ${subject} this season?`, [persona], more)
    yield* call(`/partner/v1/topics/${id}/cancel`, { method: "POST", key })
  }
  /** Lists the three events of failed commentaries, and counts the permits that the request holds. */
  const list = Effect.fnUntraced(function* (query: string, prefer: string) {
    for (const release of held.splice(0)) release()
    const path = `/partner/v1/events?type=commentary.failed${query}`
    const response = yield* call(path, { key, headers: { prefer, "x-unread": "true" } })
    const { data } = yield* readJson(response)
    return { applied: response.headers.get("preference-applied"), events: data, permits: held.length }
  })
  return { list }
})

it.effect("a long response to a waiting request holds a second permit until the client has received the response", () =>
  Effect.gen(function* () {
    const { list } = yield* scene
    const long = yield* list("&order=asc", "wait=1")
    assert.lengthOf(long.events, 3)
    assert.strictEqual(long.applied, "wait")
    assert.strictEqual(long.permits, 2)
    const short = yield* list(`&after=${long.events[1].id}`, "wait=1")
    assert.lengthOf(short.events, 1)
    assert.strictEqual(short.permits, 1)
  }).pipe(Effect.provide(observed))
)

it.effect("a newest-first list of events holds a second permit if the client sends Prefer: wait, but never waits", () =>
  Effect.gen(function* () {
    const { list } = yield* scene
    const preferred = yield* list("", "wait=1")
    assert.lengthOf(preferred.events, 3)
    assert.isNull(preferred.applied)
    assert.strictEqual(preferred.permits, 2)
    const plain = yield* list("", "wait=0")
    assert.deepStrictEqual(plain.events, preferred.events)
    assert.strictEqual(plain.permits, 1)
  }).pipe(Effect.provide(observed))
)
