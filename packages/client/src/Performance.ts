/** Wire types of performance metrics. */
import type { Timestamp } from "./Wire.ts"

/** Requests to creators that were sent in a period of at most 366 days. */
export interface PerformancePeriod {
  /** Inclusive. Default: the start of the UTC day 30 days before `to`. */
  readonly from?: Timestamp | Date | undefined
  /** Exclusive. Default: now. */
  readonly to?: Timestamp | Date | undefined
}

/** Durations in seconds with milliseconds; null when nothing was measured. */
export interface Spread {
  /** Number of measured values. */
  readonly count: number
  /** Half of the values are at most this long. */
  readonly median: number | null
  /** 90 % of the values are at most this long. */
  readonly p90: number | null
}

export interface PerformanceFigures {
  /** The present results: `sent` is the sum of the others. */
  readonly counts: {
    readonly sent: number
    readonly pending: number
    readonly approved: number
    readonly declined: number
    readonly expired: number
    readonly generation_failed: number
    readonly approval_timeout: number
    readonly withdrawn: number
  }
  /** From the creator's mail to the creator's perspective. */
  readonly response_time: Spread
  /** From the perspective to the first draft. */
  readonly generation_time: Spread
  /** From the first draft to the creator's approval. */
  readonly approval_time: Spread
}

export interface PerformanceReport {
  readonly period: { readonly start: Timestamp; readonly end: Timestamp }
  /** All personas together. */
  readonly overall: PerformanceFigures
  /** Personas with a request in the period, by name. */
  readonly personas: ReadonlyArray<
    PerformanceFigures & {
      readonly persona_id: string
      /** From its latest request in the period. */
      readonly persona_name: string
    }
  >
}
