/**
 * Limits concurrent requests of each organization in this process. Each API operation belongs to one concurrency pool.
 * Each pool has a fixed number of permits for each organization. A request waits for a permit before the server reads
 * the request's body. A request that gets no permit before the timeout is rejected.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import type { OrganizationId } from "../shared/Ids.ts"
import * as KeyedSemaphore from "../shared/KeyedSemaphore.ts"

/**
 * The default concurrency pool is `standard`. `frequent` operations are short and run in batches: submissions and
 * polls. `large` operations read or write up to a thousand rows. `outgoing` operations wait for an organization's
 * server. `waiting` and `streaming` requests wait for changes. Each read of a waiting or streaming request also takes a
 * permit of the pool `standard` or `frequent`.
 */
export type ConcurrencyPool = "standard" | "frequent" | "large" | "outgoing" | "waiting" | "streaming"

/** The Postgres session pool has further limits, so that one organization cannot use all sessions. */
export const concurrencyPoolLimits: Readonly<Record<ConcurrencyPool, KeyedSemaphore.SemaphoreLimits>> = {
  standard: { each: 4, waiting: 128 },
  frequent: { each: 64, waiting: 256 },
  large: { each: 2, waiting: 16 },
  outgoing: { each: 2, waiting: 16 },
  waiting: { each: 1000, waiting: 0 },
  streaming: { each: 100, waiting: 0 }
}

/**
 * Maximum time that a request waits for a permit. A request with a used idempotency key also waits at most 10 seconds
 * for the response of the first request with this key.
 */
export const maxPermitWait = Duration.seconds(10)

export class TooManyRequests extends Schema.TaggedError<TooManyRequests>()("TooManyRequests", {
  pool: Schema.Literals(["standard", "frequent", "large", "outgoing", "waiting", "streaming"]),
  limit: Schema.Number
}) {}

/**
 * A callback that calls `release` when the client has read the response or has disconnected. If the response has
 * already ended, the callback calls `release` immediately.
 */
export type OnResponseEnd = (release: () => void) => void

export class ConcurrencyLimit extends Context.Service<
  ConcurrencyLimit,
  {
    /**
     * Takes a permit if a permit is free and no other request of the organization waits for a permit. Returns a
     * function that releases the permit. The caller must call the returned function once.
     */
    readonly tryTake: (pool: ConcurrencyPool, organization: OrganizationId) => (() => void) | undefined
    /**
     * Runs the effect `work` with a permit of the organization. When `work` has ended, calls `whenTaken` with the
     * function that releases the permit.
     */
    readonly withPermit: <A, E, R>(
      pool: ConcurrencyPool,
      organization: OrganizationId,
      work: Effect.Effect<A, E, R>,
      whenTaken: OnResponseEnd
    ) => Effect.Effect<A, E | TooManyRequests, R>
  }
>()("@partner-commentary/core/access/ConcurrencyLimit") {
  static readonly layer = Layer.effect(
    ConcurrencyLimit,
    Effect.sync(() => {
      const places = Record.map(concurrencyPoolLimits, (pool) => KeyedSemaphore.make<OrganizationId>(pool))
      return ConcurrencyLimit.of({
        tryTake: (pool, organization) => {
          const { release, tryTake } = places[pool]
          return tryTake(organization) ? () => release(organization) : undefined
        },
        withPermit: <A, E, R>(
          pool: ConcurrencyPool,
          organization: OrganizationId,
          work: Effect.Effect<A, E, R>,
          whenTaken: OnResponseEnd
        ) => {
          const { release, take, tryTake } = places[pool]
          return Effect.uninterruptibleMask((restore): Effect.Effect<A, E | TooManyRequests, R> => {
            const held = Effect.onExit(restore(work), () => Effect.sync(() => whenTaken(() => release(organization))))
            if (tryTake(organization)) return held
            const refused = Effect.suspend(() =>
              Effect.fail(new TooManyRequests({ pool, limit: concurrencyPoolLimits[pool].each }))
            )
            return Effect.flatMap(
              take(organization, maxPermitWait, restore),
              (isTaken): Effect.Effect<A, E | TooManyRequests, R> => (isTaken ? held : refused)
            )
          })
        }
      })
    })
  )
}
