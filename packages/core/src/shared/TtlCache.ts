/** What was looked up moments ago, so that asking again costs no query. Who hears of a change has it forgotten. */
import * as Cache from "effect/Cache"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Instant from "./Instant.ts"

export interface TtlCache<Key, A> {
  /** `unremembered` stands around the look-up where nobody asked for the key lately. */
  readonly get: (key: Key, unremembered?: <B>(lookUp: Effect.Effect<B>) => Effect.Effect<B>) => Effect.Effect<A>
  /** Look-ups that are under way are forgotten too. */
  readonly forget: (which: (key: Key) => boolean) => Effect.Effect<void>
}

export interface Shape<A> {
  readonly capacity: number
  readonly kept: Duration.Input
  /** Which answers have a memory to themselves, as large again: no others push them out. None unless told. */
  readonly apart?: (answer: A) => boolean
}

interface Found<A> {
  readonly answer: A
  /** When it was asked for. */
  readonly at: Instant.Instant
  /** How often anything had been forgotten then. */
  readonly era: number
}

/** Keeps so many answers, each so long. A look-up that broke off says nothing, and is not kept. */
export const make = Effect.fnUntraced(function* <Key extends string, A>(
  lookUp: (key: Key) => Effect.Effect<A>,
  { apart = () => false, capacity, kept }: Shape<A>
) {
  let era = 0
  const recent = yield* Cache.makeWith(
    (key: Key) =>
      Effect.flatMap(Instant.now, (at) => {
        const begun = era
        return Effect.map(lookUp(key), (answer): Found<A> => ({ answer, at, era: begun }))
      }),
    { capacity, timeToLive: (exit) => (Exit.isSuccess(exit) ? kept : 0) }
  )
  const life = Duration.fromInputUnsafe(kept)
  /** In the order in which they came. */
  const chosen = new Map<Key, Found<A>>()

  const recall = (key: Key, now: Instant.Instant): Found<A> | undefined => {
    const found = chosen.get(key)
    if (found === undefined || (found.at <= now && now < Instant.plus(found.at, life))) return found
    chosen.delete(key)
    return undefined
  }

  /** What was begun before something was forgotten may be what was meant. */
  const choose = (key: Key, found: Found<A>): boolean => {
    if (!apart(found.answer) || found.era !== era) return false
    chosen.delete(key)
    const oldest = chosen.size < capacity ? undefined : chosen.keys().next()
    if (oldest?.done === false) chosen.delete(oldest.value)
    chosen.set(key, found)
    return true
  }

  const memory: TtlCache<Key, A> = {
    get: Effect.fnUntraced(function* (key, unremembered = identity) {
      const remembered = recall(key, yield* Instant.now)
      if (remembered !== undefined) return remembered.answer
      const ask = Cache.get(recent, key)
      let found = yield* (yield* Cache.has(recent, key)) ? ask : unremembered(ask)
      if (found.at > (yield* Instant.now)) {
        // From later than now: the clock stepped back, and it would be kept as much longer.
        yield* Cache.invalidate(recent, key)
        found = yield* ask
      }
      if (choose(key, found)) yield* Cache.invalidate(recent, key)
      return found.answer
    }),
    forget: (which) =>
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
