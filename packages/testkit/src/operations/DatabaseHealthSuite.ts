/**
 * Tests the guarantees of the DatabaseHealth port. Each adapter has its own tests of failures, because only the adapter
 * can break its database.
 */
import { assert, describe } from "@effect/vitest"
import { DatabaseHealth } from "@partner-commentary/core/operations/DatabaseHealth"
import { Retention } from "@partner-commentary/core/operations/Retention"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { day, start } from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

export const suite = <E>(name: string, layer: Layer.Layer<DatabaseHealth | Retention, E>): void => {
  describe(`${name}: DatabaseHealth`, () => {
    const it = makeGuaranteeTest(layer)

    it("a health check of a writable database succeeds for concurrent callers and leaves no rows", () =>
      Effect.gen(function* () {
        const { check } = yield* DatabaseHealth
        const { count } = yield* Retention
        const later = start + day
        const before = { mails: later, windows: later, answers: later, events: later, testTopics: later }
        const empty = yield* count(before)
        yield* Effect.forEach(Array.from({ length: 100 }), () => check, { concurrency: "unbounded" })
        assert.deepStrictEqual(yield* count(before), empty)
      }))
  })
}
