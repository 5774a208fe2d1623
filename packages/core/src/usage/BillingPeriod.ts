/** A billing period is the calendar month in UTC to which a quota applies. */
import type { Instant } from "../shared/Instant.ts"
import { fromIso, toIso } from "../shared/Instant.ts"

/** The name of a billing period, such as `2026-01`. */
export type BillingPeriodName = string

/**
 * Returns the billing period of a time. The name of the period is cached for each UTC day, because date formatting is
 * slow and every API call needs the name.
 */
export const findBillingPeriod = (moment: Instant): BillingPeriodName => {
  const day = Math.floor(moment / 86_400_000)
  if (day !== latest.day) latest = { day, name: toIso(moment).slice(0, 7) }
  return latest.name
}

let latest: { readonly day: number; readonly name: BillingPeriodName } = { day: Number.NaN, name: "" }

/** Returns the start of the month that contains the time, and the start of the next month. */
export const calculateBillingPeriodBounds = (moment: Instant): { readonly start: Instant; readonly end: Instant } => {
  const name = findBillingPeriod(moment)
  const year = Number(name.slice(0, 4))
  const month = Number(name.slice(5))
  const next = month === 12 ? `${year + 1}-01` : `${year}-${String(month + 1).padStart(2, "0")}`
  return { start: fromIso(`${name}-01T00:00:00.000Z`), end: fromIso(`${next}-01T00:00:00.000Z`) }
}
