/** What every UsageStore promises of a month. How it follows the topics is in the suites of topics and counts. */
import { assert, describe } from "@effect/vitest"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { UsageStore } from "@partner-commentary/core/usage/UsageStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { nextMonth, organizationId, personas, submission } from "./Fixtures.ts"
import { guarantees } from "./Guarantee.ts"

export const suite = <E>(name: string, layer: Layer.Layer<UsageStore | TopicStore, E>): void => {
  describe(`${name}: UsageStore`, () => {
    const it = guarantees(layer)
    const nothing = { topics: 0, commentaryUnits: 0, commentariesGenerated: 0 }

    it("a month that nothing happened in has seen nothing", () =>
      Effect.gen(function* () {
        const usage = yield* UsageStore
        assert.deepStrictEqual(yield* usage.ofMonth(organizationId(), "2026-01"), nothing)
      }))

    it("a topic counts in the calendar month, UTC, of its creation, for its organization alone", () =>
      Effect.gen(function* () {
        const usage = yield* UsageStore
        const topics = yield* TopicStore
        const mine = organizationId()
        for (const createdAt of [nextMonth - 1, nextMonth, nextMonth]) {
          yield* topics.submit(submission({ personas: personas(2), topic: { organizationId: mine, createdAt } }))
        }
        const [january, february] = yield* Effect.forEach(["2026-01", "2026-02"], (month) => usage.ofMonth(mine, month))
        assert.deepStrictEqual(january, { ...nothing, topics: 1, commentaryUnits: 2 })
        assert.deepStrictEqual(february, { ...nothing, topics: 2, commentaryUnits: 4 })
        assert.deepStrictEqual(yield* usage.ofMonth(organizationId(), "2026-02"), nothing)
      }))
  })
}
