/** Tests that a response of the Lambda function does not wait long for the write of the API usage counts. */
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { ApiCallCounter } from "@partner-commentary/core/usage/ApiCallCounter"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterEach, expect, it, vi } from "vitest"
import * as Handler from "../src/lambda/Handler.ts"

afterEach(() => {
  vi.useRealTimers()
})

const event = {
  version: "2.0",
  rawPath: "/healthz",
  headers: {},
  requestContext: { http: { method: "GET", sourceIp: "203.0.113.9" } }
}

const openHandler = (flush: Effect.Effect<void>) => {
  const counter = { count: () => Effect.void, countNow: () => {}, unwritten: () => 0, flush }
  const services = Layer.merge(PublicAddress.layer("https://app.example"), Layer.succeed(ApiCallCounter, counter))
  return Handler.make({
    handle: () => Promise.resolve({ status: 200, headers: {}, body: "" }),
    // The handler of a request needs only these two services.
    run: (effect) => Effect.runPromise(Effect.provide(effect, services) as Effect.Effect<never>),
    report: () => {}
  })
}

it("a response waits for the write of the counts, because Lambda may freeze the container after the response", async () => {
  const flushed = vi.fn()
  const handler = openHandler(Effect.andThen(Effect.sleep("10 millis"), Effect.sync(flushed)))
  expect(await handler(event, { getRemainingTimeInMillis: () => 60_000 })).toMatchObject({ statusCode: 200 })
  expect(flushed).toHaveBeenCalledTimes(1)
})

it("a response waits at most 3 seconds for the write of the counts, and the write continues", async () => {
  vi.useFakeTimers()
  const flushed = vi.fn()
  const handler = openHandler(Effect.andThen(Effect.sleep("40 seconds"), Effect.sync(flushed)))
  const answered = handler(event, { getRemainingTimeInMillis: () => 60_000 })
  await vi.advanceTimersByTimeAsync(3000)
  expect(await Promise.race([answered, vi.advanceTimersByTimeAsync(1).then(() => "waiting")])).toMatchObject({
    statusCode: 200
  })
  await vi.advanceTimersByTimeAsync(40_000)
  expect(flushed).toHaveBeenCalledTimes(1)
})
