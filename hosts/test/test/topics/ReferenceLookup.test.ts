/** Tests the lookup by reference: the size of one response, and the number of concurrent lookups per organization. */
import { assert, it } from "@effect/vitest"
import { Topics } from "@partner-commentary/core/topic/Topics"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { expectConcurrencyLimitOfTwo, SlowOperationLatch } from "../support/ConcurrencyLimit.ts"
import { getJson, submitTopic } from "../support/Requests.ts"

const application = Application.layer({ outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) })

const scene = Effect.gen(function* () {
  const owner = yield* Seed.createOrganization()
  const { text: key } = yield* Seed.issueApiKey(owner)
  return { owner, key }
})

const reference = { external_reference: "season" }
const path = "/topics/by-reference/season"

it.effect(
  "a lookup returns whole topics, newest first, with at most 1,000 entries in total, and says if its response is truncated",
  () =>
    Effect.gen(function* () {
      const { key, owner } = yield* scene
      const personas = yield* Effect.forEach(Array.from({ length: 100 }), () => Seed.createPersona(owner))
      const [one] = personas
      if (one === undefined) return assert.fail("nobody is licensed")
      const send = (n: number, asked: typeof personas) =>
        Effect.andThen(TestClock.adjust(1), submitTopic(key, `Is question ${n} one too many?`, asked, reference))
      const oldest = yield* send(0, [one])
      for (let n = 1; n <= 9; n++) yield* send(n, personas)
      yield* send(10, personas.slice(0, 99))
      const whole = (yield* getJson(key, path)).data
      assert.deepStrictEqual([whole.commentaries.length, whole.truncated], [1000, false])
      assert.strictEqual(whole.commentaries.at(-1).topic_id, oldest)
      const newest = yield* send(11, personas.slice(0, 2))
      const cut = (yield* getJson(key, path)).data
      assert.deepStrictEqual([cut.commentaries.length, cut.topic_id, cut.truncated], [901, newest, true])
      assert.strictEqual(cut.summary.total_personas, 901)
    }).pipe(Effect.provide(TestApi.layerMemory.pipe(Layer.provideMerge(application))))
)

const slow = Layer.effect(
  Topics,
  Effect.gen(function* () {
    const topics = yield* Topics
    const { pass } = yield* SlowOperationLatch
    return { ...topics, byReference: (...asked) => Effect.andThen(pass, topics.byReference(...asked)) }
  })
)

it.effect(
  "an organization can run two lookups at a time; further lookups wait for ten seconds and then get 429 with Retry-After",
  () =>
    Effect.gen(function* () {
      const { call } = yield* TestApi
      const lookUp = (key: string) => call(`/partner/v1${path}`, { key })
      const { key, owner } = yield* scene
      yield* submitTopic(key, "Is this one question too many?", [yield* Seed.createPersona(owner)], reference)
      yield* expectConcurrencyLimitOfTwo({ ask: lookUp(key), another: lookUp((yield* scene).key), answers: [200, 404] })
    }).pipe(
      Effect.provide(
        TestApi.layerMemory.pipe(
          Layer.provide(slow),
          Layer.provideMerge(Layer.merge(SlowOperationLatch.layer, application))
        )
      )
    )
)
