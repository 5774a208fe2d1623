/** Wire types of performance metrics. */
import type { Timestamp } from "./Wire.ts"

/** The period of a performance report, at most 366 days. */
export interface PerformancePeriod {
  /** The inclusive start of the period, by default the start of the UTC day 30 days before `to`. */
  readonly from?: Timestamp | Date | undefined
  /** The exclusive end of the period, by default the current time. */
  readonly to?: Timestamp | Date | undefined
}

/**
 * A summary of durations in seconds, with millisecond precision. Without a measured value, `median` and `p90` are null.
 */
export interface DurationPercentiles {
  /** The number of measured values. */
  readonly count: number
  /** Half of the measured durations are at most this long. */
  readonly median: number | null
  /** Of the measured durations, 90 % are at most this long. */
  readonly p90: number | null
}

export interface PerformanceFigures {
  /**
   * The number of requests to creators, by the current result of each request. `sent` is the number of all requests,
   * and equals the sum of the other counts.
   */
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
  /** The time from the delivery of the request mail until the creator submits a perspective. */
  readonly response_time: DurationPercentiles
  /** The time from the submission of the creator's perspective to the first draft. */
  readonly generation_time: DurationPercentiles
  /** The time from the first draft to the creator's approval. */
  readonly approval_time: DurationPercentiles
}

export interface PerformanceReport {
  readonly period: { readonly start: Timestamp; readonly end: Timestamp }
  /** The metrics of all personas together. */
  readonly overall: PerformanceFigures
  /** The personas with at least one request in the period, sorted by name. */
  readonly personas: ReadonlyArray<
    PerformanceFigures & {
      readonly persona_id: string
      /** The persona's name from its latest request in the period. */
      readonly persona_name: string
    }
  >
}
