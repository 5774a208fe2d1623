/**
 * Limits the reads of requests that wait for a change. A waiting request reads again after each signal. One change
 * signal can resume a thousand waiting requests. Few reads of an organization run at the same time, so that the
 * organization's ordinary requests do not wait long for a permit.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Schedule from "effect/Schedule"
import type { OrganizationId } from "../shared/Ids.ts"
import * as KeyedSemaphore from "../shared/KeyedSemaphore.ts"
import { ConcurrencyLimit, concurrencyPoolLimits, type OnResponseEnd, TooManyRequests } from "./ConcurrencyLimit.ts"

/**
 * Maximum number of concurrent reads of one organization in this process. Each read of a waiting request also takes a
 * permit of its concurrency pool.
 */
export const maxWaitingReadsByPool = { standard: 2, frequent: 16 } as const

export type WaitingReadPool = keyof typeof maxWaitingReadsByPool

/**
 * Maximum time that a read waits for its turn. The sum of `turnTimeout` and the longest wait for a change is one
 * minute. Common proxies close a connection that sends no bytes for a minute.
 */
const turnTimeout = Duration.seconds(30)

/**
 * When `look` has ended, the limiter calls `whenTaken` with the function that releases the permit. By default, the
 * permit is released immediately.
 */
type Read = <A, E, R>(
  pool: WaitingReadPool,
  organization: OrganizationId,
  look: Effect.Effect<A, E, R>,
  whenTaken?: OnResponseEnd
) => Effect.Effect<A, E | TooManyRequests, R>

/** Runs the reads of each organization in the order of arrival. The queue of waiting reads has no maximum length. */
export class WaitingReadLimiter extends Context.Service<WaitingReadLimiter, Read>()(
  "@partner-commentary/core/access/WaitingReadLimiter"
) {
  static readonly layer = Layer.effect(
    WaitingReadLimiter,
    Effect.gen(function* () {
      const limit = yield* ConcurrencyLimit
      const queues = Record.map(maxWaitingReadsByPool, (each) =>
        KeyedSemaphore.make<OrganizationId>({ each, waiting: Number.POSITIVE_INFINITY })
      )
      const read: Read = (pool, organization, look, whenTaken = (free) => free()) => {
        const { release, take } = queues[pool]
        const one = limit.withPermit(pool, organization, look, whenTaken)
        // Retry while ordinary requests fill the pool, because a rejected read would miss the change.
        const patient = Effect.retry(one, { while: isTooManyRequests, schedule: retries, times: 40 })
        return Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(take(organization, turnTimeout, restore), (isTaken) =>
            isTaken
              ? Effect.ensuring(
                  restore(patient),
                  Effect.sync(() => release(organization))
                )
              : Effect.fail(new TooManyRequests({ pool, limit: concurrencyPoolLimits[pool].each }))
          )
        )
      }
      return read
    })
  )
}

const retries = Schedule.jittered(Schedule.spaced("250 millis"))

export const isTooManyRequests = (error: unknown): error is TooManyRequests => error instanceof TooManyRequests
