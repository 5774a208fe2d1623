/** The limits of each plan, and the limits that override the plan for one organization. */
import * as Schema from "effect/Schema"

export const PlanName = Schema.Literals(["standard", "premium"])
export type PlanName = typeof PlanName.Type

export const PlanLimitName = Schema.Literals([
  "requests_per_hour",
  "burst_per_minute",
  "topics_per_month",
  "commentaries_per_month",
  "topic_submissions_per_hour",
  "persona_lists_per_hour",
  "topic_reads_per_hour"
])
export type PlanLimitName = typeof PlanLimitName.Type

/** The limits of an organization. Each limit is a count per minute, hour or calendar month (UTC), as its name says. */
export type OrganizationLimits = Readonly<Record<PlanLimitName, number>>

const Limit = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** The limits of an organization that differ from the limits of its plan. */
export const PlanLimitOverrides = Schema.Record(PlanLimitName, Schema.optionalKey(Limit))
export type PlanLimitOverrides = Partial<OrganizationLimits>

/** The maximum of a limit that an operator sets. Stored limits and limits of a host's own store may be higher. */
export const maxLimitOverride = 1_000_000_000

export const NewPlanLimitOverrides = Schema.Record(
  PlanLimitName,
  Schema.optionalKey(Limit.check(Schema.isLessThanOrEqualTo(maxLimitOverride)))
)

const endpoints = { topic_submissions_per_hour: 100, persona_lists_per_hour: 1000, topic_reads_per_hour: 1000 }

const plans: Record<PlanName, OrganizationLimits> = {
  standard: {
    requests_per_hour: 1000,
    burst_per_minute: 100,
    topics_per_month: 1000,
    commentaries_per_month: 5000,
    ...endpoints
  },
  premium: {
    requests_per_hour: 5000,
    burst_per_minute: 500,
    topics_per_month: 10_000,
    commentaries_per_month: 50_000,
    ...endpoints
  }
}

export const resolveLimits = (organization: {
  readonly plan: PlanName
  readonly limits: PlanLimitOverrides
}): OrganizationLimits => ({
  ...plans[organization.plan],
  ...organization.limits
})
