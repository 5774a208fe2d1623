/** Wire types of performance metrics. */
import type { Timestamp } from "./Wire.ts"

/** The period may contain requests to creators of at most 366 days. */
export interface PerformancePeriod {
  /** Inclusive. By default the period starts with the UTC day 30 days before `to`. */
  readonly from?: Timestamp | Date | undefined
  /** Exclusive. Default: now. */
  readonly to?: Timestamp | Date | undefined
}

/** Durations in seconds with milliseconds; null when nothing was measured. */
export interface Spread {
  /** The number of measured values. */
  readonly count: number
  /** Half of the values are at most this long. */
  readonly median: number | null
  /** 90 % of the values are at most this long. */
  readonly p90: number | null
}

export interface PerformanceFigures {
  /** The number of requests by their current result. `sent` is the sum of the others. */
  readonly counts: {
    readonly sent: number
    readonly pending: number
    readonly approved: number
    readonly declined: number
    readonly expired: number
    readonly generation_failed: number
    readonly approval_timeout: number
    readonly withdrawn: number
    readonly cancelled: number
  }
  /** The time from the creator's mail to the creator's perspective. */
  readonly response_time: Spread
  /** The time from the perspective to the first draft. */
  readonly generation_time: Spread
  /** The time from the first draft to the creator's approval. */
  readonly approval_time: Spread
}

export interface PerformanceReport {
  readonly period: { readonly start: Timestamp; readonly end: Timestamp }
  /** The metrics of all personas together. */
  readonly overall: PerformanceFigures
  /** The personas with a request in the period, sorted by name. */
  readonly personas: ReadonlyArray<
    PerformanceFigures & {
      readonly persona_id: string
      /** The persona's name from its latest request in the period. */
      readonly persona_name: string
    }
  >
}
