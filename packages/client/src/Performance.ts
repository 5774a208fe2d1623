/** Performance metrics as they go over the wire. */
import type { Timestamp } from "./Wire.ts"

/** Requests to creators that were sent in a period of at most 366 days. */
export interface PerformancePeriod {
  /** From this moment on. Where it is left out, the beginning (UTC) of the day 30 days before `to`. */
  readonly from?: Timestamp | Date | undefined
  /** Before this moment. Now where it is left out. */
  readonly to?: Timestamp | Date | undefined
}

/** Times in seconds, with milliseconds; null where nothing was measured. */
export interface Spread {
  /** How many were measured. */
  readonly count: number
  /** Half of them did not exceed it. */
  readonly median: number | null
  /** 90 % of them did not exceed it. */
  readonly p90: number | null
}

export interface PerformanceFigures {
  /** What the requests came to, as of now: `sent` is the sum of all that follow. */
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
  /** Each persona that was sent a request in the period, by name. */
  readonly personas: ReadonlyArray<
    PerformanceFigures & {
      readonly persona_id: string
      /** As of its latest request in the period. */
      readonly persona_name: string
    }
  >
}
