/** The port that counts calls in fixed windows: in memory for one node, in a shared store for many. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Instant from "../shared/Instant.ts"
import { type FixedWindow, make, type Taken } from "./FixedWindows.ts"

export class RateWindows extends Context.Service<
  RateWindows,
  {
    /** One atomic step, however many windows: counted in all of them, or in none because one is full. */
    readonly take: (windows: ReadonlyArray<FixedWindow>) => Effect.Effect<Taken>
  }
>()("@partner-commentary/core/access/RateWindows") {
  /** Of this process alone, and gone with it. */
  static readonly layerMemory = Layer.sync(RateWindows, () => {
    const windows = make(capacity)
    return RateWindows.of({ take: (wanted) => Effect.map(Instant.now, (now) => windows.take(wanted, now)) })
  })
}

/** Far more than keys are issued: only calls with good keys open windows here. */
const capacity = 1_000_000
