/** A cache with a maximum size, a lifetime of entries, and invalidation. A repeated look-up needs no database query. */
import * as Cache from "effect/Cache"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Instant from "./Instant.ts"

export interface TtlCache<Key, A> {
  /** Returns the value of a key. If the cache has no entry for the key, `uncached` wraps the look-up. */
  readonly get: (key: Key, uncached?: <B>(lookUp: Effect.Effect<B>) => Effect.Effect<B>) => Effect.Effect<A>
  /**
   * Returns the cached result if `hasOwnCapacity` is true for the result; otherwise undefined. `peek` is the fast path
   * of `get`.
   */
  readonly peek: (key: Key, now: Instant.Instant) => A | undefined
  /** Removes the entries of matching keys. If a look-up of a matching key is in progress, its result is not cached. */
  readonly invalidate: (which: (key: Key) => boolean) => Effect.Effect<void>
}

export interface TtlCacheOptions<A> {
  readonly capacity: number
  readonly timeToLive: Duration.Input
  /**
   * Returns true for results that other results must not evict. The cache keeps results for which `hasOwnCapacity`
   * returns true in a separate store of the same capacity. By default, all cached results share one store.
   */
  readonly hasOwnCapacity?: (answer: A) => boolean
}

interface Found<A> {
  readonly answer: A
  /** The start time of the look-up. */
  readonly at: Instant.Instant
  /** The number of invalidations before the start of the look-up. */
  readonly generation: number
}

/** Caches up to `capacity` results for a limited time. The result of an interrupted look-up is not cached. */
export const make = Effect.fnUntraced(function* <Key extends string, A>(
  lookUp: (key: Key) => Effect.Effect<A>,
  { capacity, hasOwnCapacity = () => false, timeToLive }: TtlCacheOptions<A>
) {
  let era = 0
  const recent = yield* Cache.makeWith(
    (key: Key) =>
      Effect.flatMap(Instant.now, (at) => {
        const begun = era
        return Effect.map(lookUp(key), (answer): Found<A> => ({ answer, at, generation: begun }))
      }),
    { capacity, timeToLive: (exit) => (Exit.isSuccess(exit) ? timeToLive : 0) }
  )
  const life = Duration.toMillis(Duration.fromInputUnsafe(timeToLive))
  /** The results for which `hasOwnCapacity` is true. The map iterates in the order of insertion, oldest entry first. */
  const chosen = new Map<Key, Found<A>>()

  const recall = (key: Key, now: Instant.Instant): Found<A> | undefined => {
    const found = chosen.get(key)
    if (found === undefined || (found.at <= now && now < found.at + life)) return found
    chosen.delete(key)
    return undefined
  }

  /**
   * Stores a result for which `hasOwnCapacity` is true. The result of a look-up that started before an invalidation is
   * not stored.
   */
  const choose = (key: Key, found: Found<A>): boolean => {
    if (!hasOwnCapacity(found.answer) || found.generation !== era) return false
    chosen.delete(key)
    const oldest = chosen.size < capacity ? undefined : chosen.keys().next()
    if (oldest?.done === false) chosen.delete(oldest.value)
    chosen.set(key, found)
    return true
  }

  const memory: TtlCache<Key, A> = {
    peek: (key, now) => recall(key, now)?.answer,
    get: Effect.fnUntraced(function* (key, unremembered = identity) {
      const remembered = recall(key, yield* Instant.now)
      if (remembered !== undefined) return remembered.answer
      const ask = Cache.get(recent, key)
      let found = yield* (yield* Cache.has(recent, key)) ? ask : unremembered(ask)
      if (found.at > (yield* Instant.now)) {
        // The look-up time is in the future, because the clock was set back. Remove the cache entry, which would
        // otherwise live too long.
        yield* Cache.invalidate(recent, key)
        found = yield* ask
      }
      if (choose(key, found)) yield* Cache.invalidate(recent, key)
      return found.answer
    }),
    invalidate: (which) =>
      Effect.suspend(() => {
        era++
        for (const key of [...chosen.keys()].filter(which)) chosen.delete(key)
        return Effect.flatMap(Cache.keys(recent), (keys) =>
          Effect.forEach([...keys].filter(which), (key) => Cache.invalidate(recent, key), { discard: true })
        )
      })
  }
  return memory
})
