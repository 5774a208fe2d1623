/** How often one link may be used: a fixed window per token, in this node's bounded memory. Keys of the API have their own limits. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

export interface TokenWindow {
  /** Counts one use: 0 when it is within the limit, else the whole seconds to wait. A refused use does not count. */
  readonly take: (token: string) => Effect.Effect<number>
}

interface Window {
  readonly endsAt: number
  used: number
}

/** When `capacity` windows are open, the oldest gives way. */
export const make = (options: {
  readonly limit: number
  readonly windowMillis: number
  readonly capacity: number
}): TokenWindow => {
  /** In the order in which they were opened, which is the order in which they end. */
  const windows = new Map<string, Window>()

  const forget = (now: number) => {
    for (const [token, { endsAt }] of windows) {
      if (endsAt > now && windows.size < options.capacity) return
      windows.delete(token)
    }
  }

  return {
    take: (token) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const open = windows.get(token)
        if (open === undefined || open.endsAt <= now) {
          windows.delete(token)
          forget(now)
          windows.set(token, { endsAt: now + options.windowMillis, used: 1 })
          return 0
        }
        if (open.used >= options.limit) return Math.ceil((open.endsAt - now) / 1000)
        open.used++
        return 0
      })
  }
}
