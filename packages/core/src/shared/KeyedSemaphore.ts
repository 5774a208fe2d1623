/**
 * A semaphore with permits for each key. No key holds more than its share, and keys with waiting callers take turns.
 */
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

export interface Bounds {
  /** Maximum number of permits for one key. */
  readonly each: number
  /** The maximum number of permits of all keys together; unlimited by default. */
  readonly total?: number
  /** Maximum number of waiting callers of one key. Further callers are rejected at once. */
  readonly waiting: number
}

export interface KeyedSemaphore<Key> {
  /** Takes a permit if a permit is free and no other caller of this key is waiting. */
  readonly tryTake: (key: Key) => boolean
  /**
   * Waits up to `timeout` for a permit. Returns false when the queue is full or at the timeout. Call `take` in an
   * uninterruptible region with the region's `restore`. An interrupted caller leaves the queue and holds no permit.
   */
  readonly take: (key: Key, timeout: Duration.Input, interruptible: Restore) => Effect.Effect<boolean>
  readonly release: (key: Key) => void
}

export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

interface Owner {
  held: number
  /** The waiting callers in the order of their arrival. */
  readonly queue: Set<Deferred.Deferred<void>>
}

/** The number of keys without permits that stay in memory. */
const keptKeys = 1000

export const make = <Key>({ each, total = Number.POSITIVE_INFINITY, waiting }: Bounds): KeyedSemaphore<Key> => {
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
    // Keep the entry if callers wait with this key, or if another caller has replaced the entry in the meantime.
    if (owner.queue.size > 0 || owners.get(key) !== owner) return
    turns.delete(key)
    // A small map keeps its keys. Otherwise, most requests would delete an entry and set it again.
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

  /** Gives each free permit to the next waiting key that holds less than its share. */
  const grant = (): void => {
    for (const key of turns) {
      if (free === 0) return
      const owner = ownerOf(key)
      const [first] = owner.queue
      if (owner.held >= each || first === undefined) continue
      owner.queue.delete(first)
      owner.held++
      free--
      // Move the key to the end, so that the other keys get a turn first.
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
          // The caller may receive the permit at the same time as the timeout.
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
 * Continue in a later turn of the event loop. Otherwise, the releasing fiber would also run the work of the waiting
 * fiber.
 */
const granted = Effect.as(Effect.yieldNow, true)
