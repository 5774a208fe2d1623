import { assert, describe, it } from "@effect/vitest"
import {
  ConcurrencyLimit,
  concurrencyPoolLimits,
  TooManyRequests
} from "@partner-commentary/core/access/ConcurrencyLimit"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

const acme = "acme" as OrganizationId
const other = "other" as OrganizationId
const { each, waiting } = concurrencyPoolLimits.standard

const settle = Effect.repeat(Effect.yieldNow, { times: 20 })

const scene = Effect.gen(function* () {
  const { withPermit } = yield* ConcurrencyLimit
  const atWork = new Map<OrganizationId, number>()
  const taken: Array<() => void> = []
  /** Starts a request that runs until `finish`. The test decides when the response ends. */
  const request = (organization: OrganizationId) =>
    Effect.gen(function* () {
      const done = yield* Deferred.make<void>()
      const count = (more: number) =>
        Effect.sync(() => atWork.set(organization, (atWork.get(organization) ?? 0) + more))
      const work = Effect.acquireUseRelease(
        count(1),
        () => Deferred.await(done),
        () => count(-1)
      )
      const fiber = yield* Effect.forkChild(
        withPermit("standard", organization, work, (release) => void taken.push(release))
      )
      yield* settle
      return { fiber, finish: Effect.andThen(Deferred.succeed(done, undefined), settle) }
    })
  const take = Effect.andThen(
    Effect.sync(() => taken.splice(0).forEach((release) => void release())),
    settle
  )
  return { atWork, request, take }
})

describe("the concurrency limit", () => {
  it.effect("the concurrency limit applies to each organization separately", () =>
    Effect.gen(function* () {
      const { atWork, request } = yield* scene
      for (let n = 0; n < each + 3; n++) yield* request(acme)
      yield* request(other)
      assert.deepStrictEqual(
        [...atWork],
        [
          [acme, each],
          [other, 1]
        ]
      )
    }).pipe(Effect.provide(ConcurrencyLimit.layer))
  )

  it.effect("a request holds its permit until its response ends, even if the request is interrupted", () =>
    Effect.gen(function* () {
      const { atWork, request, take } = yield* scene
      const first = yield* Effect.forEach(Array.from({ length: each }), () => request(acme))
      for (let n = 0; n < each; n++) yield* request(acme)
      for (const [index, { fiber, finish }] of first.entries()) {
        yield* index === 0 ? Effect.andThen(Fiber.interrupt(fiber), settle) : finish
      }
      assert.strictEqual(atWork.get(acme), 0)
      yield* take
      assert.strictEqual(atWork.get(acme), each)
    }).pipe(Effect.provide(ConcurrencyLimit.layer))
  )

  it.effect("the concurrency limit rejects a request immediately when too many requests wait", () =>
    Effect.gen(function* () {
      const { request } = yield* scene
      for (let n = 0; n < each + waiting; n++) yield* request(acme)
      const { fiber } = yield* request(acme)
      assert.deepStrictEqual(
        yield* Effect.flip(Fiber.join(fiber)),
        new TooManyRequests({ pool: "standard", limit: each })
      )
    }).pipe(Effect.provide(ConcurrencyLimit.layer))
  )
})
