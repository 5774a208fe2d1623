/**
 * Each organization has monthly quotas of created topics and of reserved commentary units. A topic that would exceed a
 * quota is rejected as a whole.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** @public */
export const QuotaName = Schema.Literals(["topics_per_month", "commentaries_per_month"])
export type QuotaName = typeof QuotaName.Type

export type MonthlyQuotas = Readonly<Record<QuotaName, number>>

/** The quota that an organization has used in the current month. */
export interface QuotaUsage {
  readonly topics: number
  /**
   * Each `sent` assignment uses one commentary unit. An assignment that ends without a commentary returns its
   * commentary unit to the quota.
   */
  readonly commentaryUnits: number
}

export class QuotaExceeded extends Schema.TaggedError<QuotaExceeded>()("QuotaExceeded", {
  quota: QuotaName,
  limit: Schema.Int,
  /** The remaining quota, which is too small for the topic. */
  remaining: Schema.Int
}) {}

/** Returns an error if a new topic with this many commentaries would exceed a quota; none if the topic fits. */
export const findExceededQuota = (
  held: QuotaUsage,
  quotas: MonthlyQuotas,
  commentaries: number
): Option.Option<QuotaExceeded> => {
  if (held.topics + 1 > quotas.topics_per_month) return makeQuotaExceeded("topics_per_month", quotas, held.topics)
  if (held.commentaryUnits + commentaries > quotas.commentaries_per_month) {
    return makeQuotaExceeded("commentaries_per_month", quotas, held.commentaryUnits)
  }
  return Option.none()
}

export const calculateRemainingQuota = (limit: number, used: number): number => Math.max(0, limit - used)

const makeQuotaExceeded = (quota: QuotaName, quotas: MonthlyQuotas, used: number) =>
  Option.some(
    new QuotaExceeded({ quota, limit: quotas[quota], remaining: calculateRemainingQuota(quotas[quota], used) })
  )
