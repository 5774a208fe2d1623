/**
 * The port that counts calls in fixed windows. A single node counts the calls in memory. Several nodes count the calls
 * in a shared store.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Instant from "../shared/Instant.ts"
import { markInProcessState } from "../shared/SharedState.ts"
import { make, type RateLimitDecision, type RateWindowLimit } from "./FixedWindowRateLimiter.ts"

export class RateWindows extends Context.Service<
  RateWindows,
  {
    /** `take` counts the call in all windows, or in no window if one window is full. `take` is atomic. */
    readonly take: (windows: ReadonlyArray<RateWindowLimit>) => Effect.Effect<RateLimitDecision>
    /** Works like `take`, without an effect. `takeNow` is missing if a shared store keeps the windows. */
    readonly takeNow?: (windows: ReadonlyArray<RateWindowLimit>, now: Instant.Instant) => RateLimitDecision
  }
>()("@partner-commentary/core/access/RateWindows") {
  /** This layer stores the windows in the memory of this process. */
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

/** The capacity is much larger than the number of keys, because only valid keys start windows in this store. */
const capacity = 1_000_000
