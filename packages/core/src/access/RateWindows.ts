/** The port that counts calls in fixed windows: in memory for one node, in a shared store for several nodes. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Instant from "../shared/Instant.ts"
import { markInProcessState } from "../shared/SharedState.ts"
import { type CountResult, type FixedWindow, make } from "./FixedWindows.ts"

export class RateWindows extends Context.Service<
  RateWindows,
  {
    /** `take` is atomic: it counts the call in all windows, or in none when one window is full. */
    readonly take: (windows: ReadonlyArray<FixedWindow>) => Effect.Effect<CountResult>
    /** Works like `take`, without an effect. Only windows in the memory of this process have it. */
    readonly takeNow?: (windows: ReadonlyArray<FixedWindow>, now: Instant.Instant) => CountResult
  }
>()("@partner-commentary/core/access/RateWindows") {
  /** `layerMemory` keeps the windows in the memory of this process. */
  static readonly layerMemory = Layer.sync(RateWindows, () => {
    const windows = make(capacity)
    return markInProcessState(
      RateWindows.of({
        take: (wanted) => Effect.map(Instant.now, (now) => windows.take(wanted, now)),
        takeNow: windows.take
      })
    )
  })
}

/** The capacity is far more than the number of keys. Only valid keys open windows in this store. */
const capacity = 1_000_000
