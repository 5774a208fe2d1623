/** Usage and performance as they go over the wire. */
import type { Timestamp } from "./Wire.ts"

/** The current billing period: a calendar month, UTC. */
export interface Usage {
  readonly period: { readonly start: Timestamp; readonly end: Timestamp }
  readonly usage: {
    readonly topics_created: number
    /** Personas' parts that have had a first draft. */
    readonly commentaries_generated: number
    /** Authenticated requests; may lag by 5 seconds. */
    readonly api_calls: number
  }
  readonly quotas: {
    readonly topics_per_month: number
    readonly commentaries_per_month: number
    readonly api_calls_per_hour: number
  }
  readonly remaining: {
    readonly topics: number
    /** The quota without the units that are held: one for each `sent` persona, given back when no commentary comes of it. */
    readonly commentaries: number
  }
}
