/** A semaphore with permits for each key: no key takes more than its share, and keys that wait are served in turns. */
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

export interface Bounds {
  /** Permits that one key holds at most. */
  readonly each: number
  /** Permits of all keys together; unbounded unless given. */
  readonly total?: number
  /** Callers of one key that wait at most. One more is refused at once. */
  readonly waiting: number
}

export interface KeyedSemaphore<Key> {
  /** Takes a permit now if one is free and nobody of this key waits for it. */
  readonly tryTake: (key: Key) => boolean
  /**
   * Takes a permit, waiting for it as long as `timeout`. False: the queue is full or the time is up. Run it uninterruptibly and
   * pass what makes the wait interruptible: an interrupted caller leaves the queue and holds nothing.
   */
  readonly take: (key: Key, timeout: Duration.Input, interruptible: Restore) => Effect.Effect<boolean>
  readonly release: (key: Key) => void
}

export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

interface Owner {
  held: number
  /** First come, first served. */
  readonly queue: Set<Deferred.Deferred<void>>
}

export const make = <Key>({ each, total = Number.POSITIVE_INFINITY, waiting }: Bounds): KeyedSemaphore<Key> => {
  const owners = new Map<Key, Owner>()
  /** The keys somebody waits for, the one whose turn is next first. */
  const turns = new Set<Key>()
  let free = total

  const ownerOf = (key: Key): Owner => {
    const owner = owners.get(key) ?? { held: 0, queue: new Set() }
    owners.set(key, owner)
    return owner
  }

  const forget = (key: Key, owner: Owner): void => {
    // A caller that was granted a permit meanwhile may have replaced it.
    if (owner.queue.size > 0 || owners.get(key) !== owner) return
    turns.delete(key)
    if (owner.held === 0) owners.delete(key)
  }

  const tryTake = (key: Key): boolean => {
    if (free === 0) return false
    const owner = ownerOf(key)
    if (owner.held >= each || owner.queue.size > 0) return false
    owner.held++
    free--
    return true
  }

  /** While a permit is free, each waiting key below its share gets one in turn. */
  const grant = (): void => {
    for (const key of turns) {
      if (free === 0) return
      const owner = ownerOf(key)
      const [first] = owner.queue
      if (owner.held >= each || first === undefined) continue
      owner.queue.delete(first)
      owner.held++
      free--
      // To the end of the round, which this loop reaches again.
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
          // The permit may come in the moment in which the time is up.
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

/** In a turn of the event loop of its own: whoever releases a permit runs nobody else's work. */
const granted = Effect.as(Effect.yieldNow, true)
