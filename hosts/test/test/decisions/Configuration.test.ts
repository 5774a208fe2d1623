/**
 * Tests the configurable values of the documented decisions. Each test changes a configured value and observes the
 * effect through the API.
 */
import { assert, layer } from "@effect/vitest"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  getFirstPersona,
  layerOfScriptedExternalServices,
  layerOfServiceUnderTestWith,
  openCreatorLink,
  samplePerspective,
  seedPartner,
  submitTopicWithStates,
  waitForCreatorMails,
  waitForState
} from "../support/conformance/ServiceUnderTest.ts"
import { eventually } from "../support/Eventually.ts"

const content = "Who wins tonight?"
const other = layerOfServiceUnderTestWith({
  outside: layerOfScriptedExternalServices,
  policy: {
    contentLength: { min: 3, max: 20 },
    duplicateWindow: Duration.hours(1),
    responseWindow: Duration.hours(2),
    approvalWindow: Duration.days(1),
    generationRetries: [Duration.seconds(30)]
  }
})

/** Returns the creator's remaining time in hours, as the creator's page shows it. */
const left = Effect.fnUntraced(function* (state: "topic_sent" | "commentary_generated") {
  const by = yield* seedPartner()
  const { id, personas } = yield* submitTopicWithStates(by, content, [state])
  const { look } = yield* openCreatorLink(getFirstPersona(personas), content)
  const expiresAt = Date.parse((yield* look).body.data.expires_at)
  return {
    by,
    id,
    persona: getFirstPersona(personas),
    hours: (expiresAt - (yield* Clock.currentTimeMillis)) / 3_600_000
  }
})

layer(other)("decisions: configuration", (it) => {
  it.effect("the minimum and the maximum length of the content are configurable", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const { id } = yield* by.persona()
      for (const [said, status] of [
        ["hm", 400],
        ["Who", 201],
        ["x".repeat(20), 201],
        ["x".repeat(21), 400]
      ] as const)
        assert.strictEqual((yield* by.post("/topics", { content: said, persona_ids: [id] })).status, status, said)
    })
  )

  it.effect("the duplicate window is configurable", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const { id } = yield* by.persona()
      const post = Effect.map(by.post("/topics", { content, persona_ids: [id] }), ({ status }) => status)
      assert.deepStrictEqual([yield* post, yield* post], [201, 400])
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* post, 201)
    })
  )

  it.effect("the response window is configurable, and the reminder is sent after half of the window", () =>
    Effect.gen(function* () {
      const { by, hours, id, persona } = yield* left("topic_sent")
      assert.strictEqual(hours, 2)
      yield* TestClock.adjust("1 hour")
      yield* waitForCreatorMails(persona, content, 2)
      yield* TestClock.adjust("1 hour")
      yield* waitForState(by, id, persona, "expired")
    })
  )

  it.effect("the approval window is configurable", () =>
    Effect.gen(function* () {
      const { by, hours, id, persona } = yield* left("commentary_generated")
      assert.strictEqual(hours, 24)
      yield* TestClock.adjust("24 hours")
      yield* waitForState(by, id, persona, "approval_timeout")
    })
  )

  it.effect("the number of attempts at a draft is configurable", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const { personas } = yield* submitTopicWithStates(by, content, ["topic_sent"])
      const generator = yield* ScriptedGenerator
      const before = (yield* generator.requests).length
      yield* generator.failNext({ permanent: false }, { permanent: false })
      yield* (yield* openCreatorLink(getFirstPersona(personas), content)).act("respond", {
        perspective: samplePerspective
      })
      const tried = (count: number) =>
        eventually(
          `attempt ${count}`,
          Effect.map(generator.requests, ({ length }) => length - before === count)
        )
      yield* tried(1)
      yield* by.get("/topics")
      yield* TestClock.adjust("30 seconds")
      yield* tried(2)
      yield* waitForCreatorMails(getFirstPersona(personas), content, 2)
      yield* TestClock.adjust("20 hours")
      assert.strictEqual((yield* generator.requests).length - before, 2)
    })
  )
})
