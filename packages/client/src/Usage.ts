/** Wire types of usage reports. */
import type { Timestamp } from "./Wire.ts"

/** The current billing period: a calendar month, UTC. */
export interface Usage {
  readonly period: { readonly start: Timestamp; readonly end: Timestamp }
  readonly usage: {
    readonly topics_created: number
    /** The number of assignments that had a first draft. */
    readonly commentaries_generated: number
    /** The number of authenticated requests, which may lag by 5 seconds. */
    readonly api_calls: number
  }
  readonly quotas: {
    readonly topics_per_month: number
    readonly commentaries_per_month: number
    readonly api_calls_per_hour: number
  }
  readonly remaining: {
    readonly topics: number
    /**
     * The quota minus reserved units. Each `sent` persona reserves one unit, which is returned when no commentary
     * comes.
     */
    readonly commentaries: number
  }
}
