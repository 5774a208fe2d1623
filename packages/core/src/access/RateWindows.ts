/**
 * The port that counts calls in fixed windows. One node counts in memory, and several nodes count in a shared store.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Instant from "../shared/Instant.ts"
import { keptInProcess } from "../shared/SharedState.ts"
import { type CountResult, type FixedWindow, make } from "./FixedWindows.ts"

export class RateWindows extends Context.Service<
  RateWindows,
  {
    /** Counts the call atomically: in all windows, or in no window when at least one is full. */
    readonly take: (windows: ReadonlyArray<FixedWindow>) => Effect.Effect<CountResult>
    /** Counts as `take` does, but synchronously. Only windows in the memory of this process have this method. */
    readonly takeNow?: (windows: ReadonlyArray<FixedWindow>, now: Instant.Instant) => CountResult
  }
>()("@partner-commentary/core/access/RateWindows") {
  /** This layer stores the windows in the memory of this process. */
  static readonly layerMemory = Layer.sync(RateWindows, () => {
    const windows = make(capacity)
    return keptInProcess(
      RateWindows.of({
        take: (wanted) => Effect.map(Instant.now, (now) => windows.take(wanted, now)),
        takeNow: windows.take
      })
    )
  })
}

/** The capacity is far larger than the number of keys. Only valid keys open windows in this store. */
const capacity = 1_000_000
