/**
 * Limits the concurrent requests of one organization in this process. Each operation belongs to a pool, and a pool has
 * permits for each organization. Further requests wait with unread bodies until the timeout rejects them.
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
 * The default pool is `standard`. `frequent` operations are short and run in batches: submissions and polls. `large`
 * operations read or write up to a thousand rows. `outgoing` operations wait for a server of the organization.
 * `waiting` and `streaming` requests wait for changes, and each of their reads takes a permit of another pool.
 */
export type ConcurrencyPool = "standard" | "frequent" | "large" | "outgoing" | "waiting" | "streaming"

/** The standard and large permits of one organization together are fewer than the connections of a Postgres pool. */
export const poolBounds: Readonly<Record<ConcurrencyPool, KeyedSemaphore.Bounds>> = {
  standard: { each: 4, waiting: 128 },
  frequent: { each: 64, waiting: 256 },
  large: { each: 2, waiting: 16 },
  outgoing: { each: 2, waiting: 16 },
  waiting: { each: 1000, waiting: 0 },
  streaming: { each: 100, waiting: 0 }
}

/**
 * The maximum time for which a request waits for a permit. A duplicate request waits equally long for the response to
 * the first request.
 */
export const permitTimeout = Duration.seconds(10)

export class TooManyRequests extends Schema.TaggedError<TooManyRequests>()("TooManyRequests", {
  pool: Schema.Literals(["standard", "frequent", "large", "outgoing", "waiting", "streaming"]),
  limit: Schema.Number
}) {}

/**
 * Calls `release` when the response was read or the client disconnected. If the response has already ended, `release`
 * is called at once.
 */
export type WhenResponseEnds = (release: () => void) => void

export class ConcurrencyLimit extends Context.Service<
  ConcurrencyLimit,
  {
    /**
     * Takes a permit if a permit is free and no other request of the organization is waiting. The caller must call the
     * returned function once to release the permit.
     */
    readonly tryTake: (pool: ConcurrencyPool, organization: OrganizationId) => (() => void) | undefined
    /**
     * Runs the effect with a permit of the organization. The permit is released after the effect has ended and
     * `whenTaken` has called its callback.
     */
    readonly withPermit: <A, E, R>(
      pool: ConcurrencyPool,
      organization: OrganizationId,
      work: Effect.Effect<A, E, R>,
      whenTaken: WhenResponseEnds
    ) => Effect.Effect<A, E | TooManyRequests, R>
  }
>()("@partner-commentary/core/access/ConcurrencyLimit") {
  static readonly layer = Layer.effect(
    ConcurrencyLimit,
    Effect.sync(() => {
      const places = Record.map(poolBounds, (pool) => KeyedSemaphore.make<OrganizationId>(pool))
      return ConcurrencyLimit.of({
        tryTake: (pool, organization) => {
          const { release, tryTake } = places[pool]
          return tryTake(organization) ? () => release(organization) : undefined
        },
        withPermit: <A, E, R>(
          pool: ConcurrencyPool,
          organization: OrganizationId,
          work: Effect.Effect<A, E, R>,
          whenTaken: WhenResponseEnds
        ) => {
          const { release, take, tryTake } = places[pool]
          return Effect.uninterruptibleMask((restore): Effect.Effect<A, E | TooManyRequests, R> => {
            const held = Effect.onExit(restore(work), () => Effect.sync(() => whenTaken(() => release(organization))))
            if (tryTake(organization)) return held
            const refused = Effect.suspend(() =>
              Effect.fail(new TooManyRequests({ pool, limit: poolBounds[pool].each }))
            )
            return Effect.flatMap(
              take(organization, permitTimeout, restore),
              (isTaken): Effect.Effect<A, E | TooManyRequests, R> => (isTaken ? held : refused)
            )
          })
        }
      })
    })
  )
}
