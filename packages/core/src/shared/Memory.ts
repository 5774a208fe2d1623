/** What was looked up moments ago, so that asking again costs no query. Who hears of a change has it forgotten. */
import * as Cache from "effect/Cache"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Instant from "./Instant.ts"

export interface Memory<Key, A> {
  readonly get: (key: Key) => Effect.Effect<A>
  /** Look-ups that are under way are forgotten too. */
  readonly forget: (which: (key: Key) => boolean) => Effect.Effect<void>
}

/** Keeps so many answers, each so long. A look-up that broke off says nothing, and is not kept. */
export const make = Effect.fnUntraced(function* <Key extends string, A>(
  lookUp: (key: Key) => Effect.Effect<A>,
  { capacity, kept }: { readonly capacity: number; readonly kept: Duration.Input }
) {
  const known = yield* Cache.makeWith(
    (key: Key) => Effect.flatMap(Instant.now, (at) => Effect.map(lookUp(key), (answer) => ({ answer, at }))),
    { capacity, timeToLive: (exit) => (Exit.isSuccess(exit) ? kept : 0) }
  )
  const memory: Memory<Key, A> = {
    get: Effect.fnUntraced(function* (key) {
      const found = yield* Cache.get(known, key)
      if (found.at <= (yield* Instant.now)) return found.answer
      // From later than now: the clock stepped back, and it would be kept as much longer.
      yield* Cache.invalidate(known, key)
      return (yield* Cache.get(known, key)).answer
    }),
    forget: (which) =>
      Effect.flatMap(Cache.keys(known), (keys) =>
        Effect.forEach([...keys].filter(which), (key) => Cache.invalidate(known, key), { discard: true })
      )
  }
  return memory
})
