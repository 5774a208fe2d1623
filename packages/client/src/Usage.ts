/** Wire types of usage reports. */
import type { Timestamp } from "./Wire.ts"

/** The usage in the current billing period, which is a calendar month in UTC. */
export interface Usage {
  readonly period: { readonly start: Timestamp; readonly end: Timestamp }
  readonly usage: {
    readonly topics_created: number
    /** The number of assignments whose first draft was stored in the period. */
    readonly commentaries_generated: number
    /** The number of authenticated requests. The requests of the last 5 seconds may be missing. */
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
     * The remaining commentary quota. Each persona to which a topic is sent uses one unit of the quota. If no
     * commentary will come, the service returns the persona's unit to the quota.
     */
    readonly commentaries: number
  }
}
