/**
 * Tests the guarantees of the UsageStore port for a month. SubmissionSuite and TopicCountsSuite cover how topics change
 * the usage.
 */
import { assert, describe } from "@effect/vitest"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { UsageStore } from "@partner-commentary/core/usage/UsageStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { makeOrganizationId, makePersonas, makeSubmission, startOfNextMonth } from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

const live = (organizationId: OrganizationId): Owner => ({ organizationId, environment: "live" })

export const suite = <E>(name: string, layer: Layer.Layer<UsageStore | TopicStore, E>): void => {
  describe(`${name}: UsageStore`, () => {
    const it = makeGuaranteeTest(layer)
    const nothing = { topics: 0, commentaryUnits: 0, commentariesGenerated: 0, apiCalls: 0 }

    it("the usage of a month without activity is zero", () =>
      Effect.gen(function* () {
        const usage = yield* UsageStore
        assert.deepStrictEqual(yield* usage.ofMonth(live(makeOrganizationId()), "2026-01"), nothing)
      }))

    it("a topic counts in the UTC month of its creation, and only for its own organization", () =>
      Effect.gen(function* () {
        const usage = yield* UsageStore
        const topics = yield* TopicStore
        const mine = makeOrganizationId()
        for (const createdAt of [startOfNextMonth - 1, startOfNextMonth, startOfNextMonth]) {
          yield* topics.submit(
            makeSubmission({ personas: makePersonas(2), topic: { organizationId: mine, createdAt } })
          )
        }
        const [january, february] = yield* Effect.forEach(["2026-01", "2026-02"], (month) =>
          usage.ofMonth(live(mine), month)
        )
        assert.deepStrictEqual(january, { ...nothing, topics: 1, commentaryUnits: 2 })
        assert.deepStrictEqual(february, { ...nothing, topics: 2, commentaryUnits: 4 })
        assert.deepStrictEqual(yield* usage.ofMonth(live(makeOrganizationId()), "2026-02"), nothing)
      }))

    it("API calls are summed by organization, environment and month", () =>
      Effect.gen(function* () {
        const usage = yield* UsageStore
        const [mine, other] = [makeOrganizationId(), makeOrganizationId()]
        const calls = (owner: Owner, period: string, calls: number) => ({ owner, period, calls })
        yield* usage.addCalls(calls(live(mine), "2026-01", 3))
        yield* usage.addCalls(calls({ ...live(mine), environment: "test" }, "2026-01", 5))
        yield* usage.addCalls(calls(live(mine), "2026-01", 4))
        yield* usage.addCalls(calls(live(mine), "2026-02", 1))
        yield* usage.addCalls(calls(live(other), "2026-01", 9))
        const seen = (owner: Owner, period: string) =>
          Effect.map(usage.ofMonth(owner, period), ({ apiCalls }) => apiCalls)
        assert.deepStrictEqual(
          [
            yield* seen(live(mine), "2026-01"),
            yield* seen({ ...live(mine), environment: "test" }, "2026-01"),
            yield* seen(live(mine), "2026-02"),
            yield* seen(live(other), "2026-01")
          ],
          [7, 5, 1, 9]
        )
      }))
  })
}
