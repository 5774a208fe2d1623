/**
 * A semaphore that limits the permits of each key. While keys wait, the next permit goes to the key that holds the
 * fewest permits. If several keys hold equally few permits, the key with the least total use gets the next permit.
 */
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

export interface SemaphoreLimits {
  /** The maximum number of permits that one key can hold. */
  readonly each: number
  /** The maximum number of permits of all keys together; unlimited by default. */
  readonly total?: number
  /**
   * The maximum number of waiting callers of one key. If the queue of a key is full, further callers of the key are
   * rejected immediately.
   */
  readonly waiting: number
  /** By how much one key's use can exceed the use of the others, in the unit of `release`; unlimited by default. */
  readonly maxLead?: number
}

export interface KeyedSemaphore<Key> {
  /**
   * Takes a permit without waiting. Returns false if no permit is free for this key, or if callers with the same key
   * already wait.
   */
  readonly tryTake: (key: Key) => boolean
  /**
   * Waits up to `timeout` for a permit. Returns false if the queue is full or the timeout has passed. Call `take` in an
   * uninterruptible region and pass the region's `restore`. An interrupted caller leaves the queue and holds no permit.
   */
  readonly take: (key: Key, timeout: Duration.Input, interruptible: RestoreInterruptibility) => Effect.Effect<boolean>
  /** Returns a permit. `use` is the cost of the work that held the permit, in any unit, by default 1. */
  readonly release: (key: Key, use?: number) => void
}

export type RestoreInterruptibility = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

interface Owner {
  held: number
  /** The key's total use of permits, in the unit of the argument `use` of `release`. */
  used: number
  /** The waiting callers of a key, in order of arrival. */
  readonly queue: Set<Deferred.Deferred<void>>
}

const isBefore = (a: Owner, b: Owner): boolean => a.held < b.held || (a.held === b.held && a.used < b.used)

/** The maximum number of keys without permits that the map keeps in memory. */
const keptKeys = 1000

export const make = <Key>({
  each,
  maxLead = Number.POSITIVE_INFINITY,
  total = Number.POSITIVE_INFINITY,
  waiting
}: SemaphoreLimits): KeyedSemaphore<Key> => {
  const owners = new Map<Key, Owner>()
  /** The keys with waiting callers. */
  const waitingKeys = new Map<Key, Owner>()
  let free = total
  /**
   * The highest value of `used` among the keys that have received a permit. The use of a key that begins to wait is
   * raised to `reached`, so that an idle key does not save permits for later.
   */
  let reached = 0

  const ownerOf = (key: Key): Owner => {
    const owner = owners.get(key) ?? { held: 0, used: 0, queue: new Set() }
    owners.set(key, owner)
    return owner
  }

  const forget = (key: Key, owner: Owner): void => {
    // Do nothing if the key has waiting callers, or if another caller has replaced the key's entry.
    if (owner.queue.size > 0 || owners.get(key) !== owner) return
    waitingKeys.delete(key)
    // Keep unused keys while the map is small, so that most requests need not delete a key and set it again.
    if (owner.held === 0 && owners.size > keptKeys) owners.delete(key)
  }

  const give = (owner: Owner): void => {
    owner.held++
    reached = Math.max(reached, owner.used)
    free--
  }

  const tryTake = (key: Key): boolean => {
    if (free === 0) return false
    const owner = ownerOf(key)
    if (owner.held >= each || owner.queue.size > 0) return false
    give(owner)
    return true
  }

  const findNext = (): readonly [Key, Owner] | undefined => {
    let next: readonly [Key, Owner] | undefined
    for (const entry of waitingKeys) {
      const [, owner] = entry
      if (owner.held < each && (next === undefined || isBefore(owner, next[1]))) next = entry
    }
    return next
  }

  /** Gives free permits to waiting callers. */
  const grant = (): void => {
    while (free > 0) {
      const next = findNext()
      if (next === undefined) return
      const [key, owner] = next
      const [first] = owner.queue
      if (first === undefined) return
      owner.queue.delete(first)
      // Move the key to the end of `waitingKeys`, so that another key with equal use gets the next permit.
      waitingKeys.delete(key)
      if (owner.queue.size > 0) waitingKeys.set(key, owner)
      give(owner)
      Deferred.doneUnsafe(first, Effect.void)
    }
  }

  const release: KeyedSemaphore<Key>["release"] = (key, use = 1) => {
    const owner = ownerOf(key)
    owner.held--
    owner.used = Math.min(owner.used + use, reached + maxLead)
    if (waitingKeys.size === 0) reached = Math.max(reached, owner.used)
    free++
    grant()
    forget(key, owner)
  }

  const leave = (key: Key, owner: Owner, waiter: Deferred.Deferred<void>): void => {
    owner.queue.delete(waiter)
    forget(key, owner)
  }

  const take: KeyedSemaphore<Key>["take"] = (key, timeout, interruptible) =>
    Effect.suspend(() => {
      if (tryTake(key)) return Effect.succeed(true)
      const owner = ownerOf(key)
      if (owner.queue.size >= waiting) return Effect.succeed(false)
      const waiter = Deferred.makeUnsafe<void>()
      owner.queue.add(waiter)
      if (!waitingKeys.has(key)) owner.used = Math.max(owner.used, reached)
      waitingKeys.set(key, owner)
      return interruptible(Effect.timeoutOption(Deferred.await(waiter), timeout)).pipe(
        Effect.flatMap(() => {
          // The caller may receive a permit at the moment of the timeout.
          if (Deferred.isDoneUnsafe(waiter)) return resumed
          leave(key, owner, waiter)
          return Effect.succeed(false)
        }),
        Effect.onInterrupt(() =>
          Effect.sync(() => (Deferred.isDoneUnsafe(waiter) ? release(key) : leave(key, owner, waiter)))
        )
      )
    })

  return { tryTake, take, release }
}

/**
 * Resume the waiting fiber in a later turn of the event loop, so that the releasing fiber does not run the waiting
 * fiber's work.
 */
const resumed = Effect.as(Effect.yieldNow, true)
