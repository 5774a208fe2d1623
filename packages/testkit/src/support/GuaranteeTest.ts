/**
 * Registers the tests of a port's guarantees. Each test has a separate store and starts at the fixtures' start time.
 */
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { start } from "./Fixtures.ts"

/** Returns a function that registers a test. The layer's services are built anew for each test. */
export const makeGuaranteeTest =
  <R, E>(layer: Layer.Layer<R, E>) =>
  <A, E2>(name: string, test: () => Effect.Effect<A, E2, R | Scope.Scope>): void =>
    it.effect(name, () => Effect.andThen(TestClock.setTime(start), Effect.provide(test(), Layer.fresh(layer))))
