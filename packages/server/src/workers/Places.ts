/** Places for work that takes its time, shared by its owners so that none keeps another waiting, however much it has. */
import * as Effect from "effect/Effect"

export interface Places<Owner> {
  /**
   * An owner takes another one as long as more are free than it has. So one alone gets half of them, two get a third each, and who
   * comes next finds room.
   */
  readonly isFreeFor: (owner: Owner) => boolean
  /** Taken now, and free again when the work ends. */
  readonly take: <A, E, R>(owner: Owner, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const make = <Owner>(count: number): Places<Owner> => {
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
    isFreeFor: (owner) => free > has(owner),
    take: (owner, work) => {
      add(owner, 1)
      return Effect.ensuring(
        work,
        Effect.sync(() => add(owner, -1))
      )
    }
  }
}
