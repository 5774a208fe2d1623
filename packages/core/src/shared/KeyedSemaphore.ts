/** A semaphore that limits the permits of each key. Keys with waiting callers take turns. */
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

export interface SemaphoreLimits {
  /** The maximum number of permits that one key can hold. */
  readonly each: number
  /** The maximum number of permits of all keys together; unlimited by default. */
  readonly total?: number
  /** The maximum number of waiting callers of one key. Further callers are rejected without waiting. */
  readonly waiting: number
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
  readonly release: (key: Key) => void
}

export type RestoreInterruptibility = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

interface Owner {
  held: number
  /** The waiting callers of a key, in order of arrival. */
  readonly queue: Set<Deferred.Deferred<void>>
}

/** The maximum number of keys without permits that the map keeps in memory. */
const keptKeys = 1000

export const make = <Key>({
  each,
  total = Number.POSITIVE_INFINITY,
  waiting
}: SemaphoreLimits): KeyedSemaphore<Key> => {
  const owners = new Map<Key, Owner>()
  /** The keys with waiting callers, in the order of their turns. */
  const turns = new Set<Key>()
  let free = total

  const ownerOf = (key: Key): Owner => {
    const owner = owners.get(key) ?? { held: 0, queue: new Set() }
    owners.set(key, owner)
    return owner
  }

  const forget = (key: Key, owner: Owner): void => {
    // Do nothing if the key has waiting callers, or if another caller has replaced the key's entry.
    if (owner.queue.size > 0 || owners.get(key) !== owner) return
    turns.delete(key)
    // Keep unused keys while the map is small, so that most requests need not delete a key and set it again.
    if (owner.held === 0 && owners.size > keptKeys) owners.delete(key)
  }

  const tryTake = (key: Key): boolean => {
    if (free === 0) return false
    const owner = ownerOf(key)
    if (owner.held >= each || owner.queue.size > 0) return false
    owner.held++
    free--
    return true
  }

  /** Gives each free permit to the next waiting key that is below its limit. */
  const grant = (): void => {
    for (const key of turns) {
      if (free === 0) return
      const owner = ownerOf(key)
      const [first] = owner.queue
      if (owner.held >= each || first === undefined) continue
      owner.queue.delete(first)
      owner.held++
      free--
      // Move the key to the end of the queue, so that other keys get a turn first.
      turns.delete(key)
      if (owner.queue.size > 0) turns.add(key)
      Deferred.doneUnsafe(first, Effect.void)
    }
  }

  const release = (key: Key): void => {
    const owner = ownerOf(key)
    owner.held--
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
      turns.add(key)
      return interruptible(Effect.timeoutOption(Deferred.await(waiter), timeout)).pipe(
        Effect.flatMap(() => {
          // The caller may receive a permit at the moment of the timeout.
          if (Deferred.isDoneUnsafe(waiter)) return granted
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
const granted = Effect.as(Effect.yieldNow, true)
