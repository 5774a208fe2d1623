/** What is held up until it is let go, and what becomes of those who come meanwhile. */
import { assert } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "./Eventually.ts"
import { json } from "./Json.ts"

/** Where whatever must be slow passes. */
export class Gate extends Context.Service<
  Gate,
  {
    readonly pass: Effect.Effect<void>
    readonly open: Effect.Effect<void>
    /** How many wait before it. */
    readonly before: Effect.Effect<number>
  }
>()("Gate") {
  static readonly layer = Layer.effect(
    Gate,
    Effect.gen(function* () {
      const opened = yield* Deferred.make<void>()
      let before = 0
      return {
        pass: Effect.ensuring(
          Effect.suspend(() => {
            before++
            return Deferred.await(opened)
          }),
          Effect.sync(() => before--)
        ),
        open: Effect.asVoid(Deferred.succeed(opened, undefined)),
        before: Effect.sync(() => before)
      }
    })
  )
}

/** Of one organization three ask and two are let in, while another's is; who waits is refused after ten seconds. */
export const crowd = Effect.fnUntraced(function* ({
  another,
  answers,
  ask
}: {
  readonly ask: Effect.Effect<Response>
  /** Another organization's. */
  readonly another: Effect.Effect<Response>
  readonly answers: readonly [own: number, another: number]
}) {
  const { before, open } = yield* Gate
  const own = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(ask))
  const theirs = yield* Effect.forkChild(another)
  yield* eventually(
    "two and one before the gate",
    Effect.map(before, (count) => (count === 3 ? true : undefined))
  )
  yield* TestClock.adjust("9999 millis")
  assert.isTrue(own.every((fiber) => fiber.pollUnsafe() === undefined))
  yield* TestClock.adjust(1)
  const [first, second, third] = own
  if (first === undefined || second === undefined || third === undefined) return assert.fail("nobody asked")
  const refused = yield* Fiber.join(third)
  const { code, message } = (yield* json(refused)).error
  assert.deepStrictEqual([refused.status, code, refused.headers.get("retry-after")], [429, "rate_limit_exceeded", "1"])
  assert.match(message, /^At most 2 .* of an organization are .* at one time\./)
  assert.strictEqual(yield* before, 3)
  yield* open
  for (const fiber of [first, second]) assert.strictEqual((yield* Fiber.join(fiber)).status, answers[0])
  assert.strictEqual((yield* Fiber.join(theirs)).status, answers[1])
  assert.strictEqual((yield* ask).status, answers[0])
})
