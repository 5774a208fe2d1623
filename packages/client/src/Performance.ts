/** Performance metrics as they go over the wire. */
import type { Timestamp } from "./Wire.ts"

/** From `since`, and before `until`. */
export interface PerformancePeriod {
  readonly since?: Timestamp | undefined
  readonly until?: Timestamp | undefined
}
export interface Performance {
  readonly period: { readonly start: Timestamp; readonly end: Timestamp }
}
