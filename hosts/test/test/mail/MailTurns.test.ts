/**
 * Tests the order of mails. Organizations take turns, and a slow relay for one organization's mails does not delay
 * other mails.
 */
import { assert, it } from "@effect/vitest"
import { Mailer } from "@partner-commentary/core/mail/Mailer"
import * as Application from "@partner-commentary/test/Application"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../support/Eventually.ts"

/** Records mails in the order in which sending starts. Each send ends when the test releases the mail. */
const relay = Effect.sync(() => {
  const begun: Array<{ readonly to: string; readonly letGo: Effect.Effect<unknown> }> = []
  const mailer = Mailer.of({
    send: ({ to }) =>
      Effect.flatMap(Deferred.make<void>(), (gone) => {
        begun.push({ to: to.address, letGo: Deferred.succeed(gone, undefined) })
        return Effect.interruptible(Deferred.await(gone))
      })
  })
  return { begun, mailer }
})

/** Queues `count` mails of a new organization to one address. */
const queued = Effect.fnUntraced(function* (count: number, email: string) {
  const { call } = yield* TestApi
  const owner = yield* Seed.createOrganization()
  const persona = yield* Seed.createPersona(owner, { creator: { name: "Ada", email } })
  const { text: key } = yield* Seed.issueApiKey(owner)
  const topics = Array.from({ length: count }, (_, index) => ({
    content: `Who is number ${index} this season?`,
    persona_ids: [persona.id]
  }))
  yield* call("/partner/v1/topics/bulk", { method: "POST", key, body: { topics } })
  const sql = yield* SqlClient.SqlClient
  assert.lengthOf(yield* sql`SELECT id FROM mails WHERE organization_id = ${owner.id}`, count)
})

const places = 16

const scene = Effect.fnUntraced(function* () {
  const { begun, mailer } = yield* relay
  const outside = Layer.merge(Layer.succeed(Mailer, mailer), ScriptedGenerator.layer)
  const layer = Layer.provideMerge(TestApi.layerMemory, Application.layer({ outside }))
  const underWay = (count: number) =>
    eventually(
      `${count} mails begun`,
      Effect.sync(() => begun.length >= count)
    )
  return { begun, layer, underWay }
})

it.effect("a mail gets the next free slot, even if another organization queued many mails before", () =>
  Effect.gen(function* () {
    const { begun, layer, underWay } = yield* scene()
    yield* Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-03-01T09:00:00.000Z"))
      yield* queued(100, "much@creators.example")
      yield* Layer.build(TestApi.workers)
      yield* underWay(places)
      yield* queued(2, "few@creators.example")
      for (let gone = 0; gone < 4; gone++) {
        yield* begun[gone]?.letGo ?? Effect.void
        yield* underWay(places + gone + 1)
      }
      assert.deepStrictEqual(
        begun.slice(places).map(({ to }) => to),
        ["few@creators.example", "much@creators.example", "few@creators.example", "much@creators.example"]
      )
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
)

it.effect("a sending slot is reused as soon as its mail is sent, even if other mails hang", () =>
  Effect.gen(function* () {
    const { begun, layer, underWay } = yield* scene()
    yield* Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-03-01T09:00:00.000Z"))
      yield* queued(100, "much@creators.example")
      yield* Layer.build(TestApi.workers)
      for (let next = 1; next < 100 - places + 2; next++) {
        yield* underWay(places + next - 1)
        assert.strictEqual(begun.length, places + next - 1, "no more at one time than there are places")
        // The test never releases the first mail.
        yield* begun[next]?.letGo ?? Effect.void
      }
      assert.lengthOf(begun, 100)
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
)
