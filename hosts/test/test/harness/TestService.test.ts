/** Tests the test host as a layer, for tests that use Effect and need direct access to use cases and stores. */
import { assert, it } from "@effect/vitest"
import { Topics } from "@partner-commentary/core/topic/Topics"
import { DueJobRunner } from "@partner-commentary/test/DueJobRunner"
import { extractCreatorToken, Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestService } from "@partner-commentary/test/TestService"
import { VirtualClock } from "@partner-commentary/test/VirtualClock"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

const start = Date.parse("2026-02-01T12:00:00Z")
const hour = 3_600_000

it.live("due jobs run only when the test requests them, and each job runs at its due time", () =>
  Effect.gen(function* () {
    const { handle } = yield* TestService
    const { advanceTo, finish } = yield* DueJobRunner
    const mailbox = yield* Mailbox
    const owner = yield* Seed.createOrganization()
    const ada = yield* Seed.createPersona(owner)
    const { text: key } = yield* Seed.issueApiKey(owner)
    const post = (path: string, body: unknown) =>
      Effect.promise(() =>
        handle(
          new Request(`http://test.invalid${path}`, {
            method: "POST",
            headers: { "x-api-key": key, "content-type": "application/json", accept: "application/json" },
            body: JSON.stringify(body)
          })
        )
      )

    const created = yield* post("/partner/v1/topics", { content: "Who wins the cup this year?", persona_ids: [ada.id] })
    assert.strictEqual(created.status, 201)
    assert.lengthOf(yield* mailbox.all, 0)
    yield* finish
    const [mail] = yield* mailbox.to(ada.creator.email)
    yield* post(`/creator/${extractCreatorToken(mail ?? { text: "" })}/respond`, {
      perspective: "Nobody will win it this year."
    })
    const { failNext, requests } = yield* ScriptedGenerator
    yield* failNext({ permanent: false })
    assert.lengthOf(yield* requests, 0)
    yield* advanceTo(start + hour)
    assert.lengthOf(yield* requests, 2)
    const [, draft] = yield* mailbox.to(ada.creator.email)
    assert.include(draft?.subject, "A draft for Ada Vance is ready")
    assert.strictEqual(yield* Clock.currentTimeMillis, start + hour)
    assert.isDefined(yield* Topics)
  }).pipe(Effect.provide(TestService.layer({ start })))
)

it.live(
  "advancing the clock resumes sleeping fibers in order of time; if the clock does not advance, a sleep takes real time",
  () =>
    Effect.gen(function* () {
      const { advanceTo } = yield* DueJobRunner
      const { now } = yield* VirtualClock
      const woken: Array<readonly [string, number]> = []
      const sleeper = (name: string, millis: number) =>
        Effect.andThen(
          Effect.sleep(millis),
          Effect.sync(() => woken.push([name, now() - start]))
        )
      const late = yield* Effect.forkChild(sleeper("late", 2 * hour))
      const early = yield* Effect.forkChild(sleeper("early", hour))
      const never = yield* Effect.forkChild(sleeper("never", 10 * hour))
      yield* Effect.yieldNow
      yield* advanceTo(start + 3 * hour)
      yield* Fiber.joinAll([late, early])
      assert.deepStrictEqual(woken, [
        ["early", hour],
        ["late", 2 * hour]
      ])
      yield* Fiber.interrupt(never)
      yield* sleeper("in real time", 20)
      assert.deepStrictEqual(woken.at(-1), ["in real time", 3 * hour])
    }).pipe(Effect.provide(TestService.layer({ start })))
)
