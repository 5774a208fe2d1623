/** How often one link may be used: a fixed window per token, in this node's bounded memory. Keys of the API have their own limits. */
import * as FixedWindows from "@partner-commentary/core/access/FixedWindows"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"

export interface TokenWindow {
  /** Counts one use: 0 when it is within the limit, else the whole seconds to wait. A refused use does not count. */
  readonly take: (token: string) => Effect.Effect<number>
}

/** When `capacity` windows are open, the oldest gives way. */
export const make = (options: {
  readonly limit: number
  readonly seconds: number
  readonly capacity: number
}): TokenWindow => {
  const windows = FixedWindows.make(options.capacity)
  return {
    take: (name) =>
      Effect.map(Instant.now, (now) => {
        const { admitted, states } = windows.take([{ name, ...options }], now)
        return admitted ? 0 : Math.max(...states.map(({ resetsAt }) => Math.ceil((resetsAt - now) / 1000)))
      })
  }
}
