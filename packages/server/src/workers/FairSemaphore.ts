/** A semaphore that shares its permits fairly among owners. No owner can take all permits. */
import * as Effect from "effect/Effect"

export interface FairSemaphore<Owner> {
  readonly free: () => number
  /**
   * Returns whether more permits are free than the owner holds. A single owner gets half of the permits, and two owners
   * get a third of the permits each. The fair shares leave at least one free permit for a new owner. Each occurrence of
   * an owner in `pending` counts as one additional permit.
   */
  readonly isFreeFor: (owner: Owner, pending?: ReadonlyArray<Owner>) => boolean
  /** Takes a permit for the work without waiting, and returns the permit when the work ends. */
  readonly take: <A, E, R>(owner: Owner, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const make = <Owner>(count: number): FairSemaphore<Owner> => {
  const taken = new Map<Owner, number>()
  let free = count
  const has = (owner: Owner) => taken.get(owner) ?? 0
  const add = (owner: Owner, more: number) => {
    free -= more
    const now = has(owner) + more
    if (now === 0) taken.delete(owner)
    else taken.set(owner, now)
  }
  return {
    free: () => free,
    isFreeFor: (owner, pending = []) =>
      free - pending.length > has(owner) + pending.filter((other) => other === owner).length,
    take: (owner, work) => {
      add(owner, 1)
      return Effect.ensuring(
        work,
        Effect.sync(() => add(owner, -1))
      )
    }
  }
}
