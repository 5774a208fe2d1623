/** Reports a partner's usage in the current month and the remaining quotas. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Principal } from "../access/ApiKeys.ts"
import type { OrganizationLimits } from "../partner/Plan.ts"
import * as Instant from "../shared/Instant.ts"
import { ApiCallCounter } from "./ApiCallCounter.ts"
import { calculateBillingPeriodBounds, findBillingPeriod } from "./BillingPeriod.ts"
import { calculateRemainingQuota } from "./Quota.ts"
import { type MonthlyUsage, UsageStore } from "./UsageStore.ts"

export interface UsageReport {
  /** The billing period. `end` is exclusive: the next period starts at `end`. */
  readonly period: { readonly start: Instant.Instant; readonly end: Instant.Instant }
  readonly seen: MonthlyUsage
  readonly limits: OrganizationLimits
  readonly remaining: { readonly topics: number; readonly commentaries: number }
}

export class UsageReports extends Context.Service<
  UsageReports,
  {
    /**
     * Reports the usage of the current month in the caller's environment. The report may omit calls that other
     * processes counted in the last few seconds.
     */
    readonly report: (
      principal: Pick<Principal, "environment" | "limits" | "organization">
    ) => Effect.Effect<UsageReport>
  }
>()("@partner-commentary/core/usage/UsageReports") {
  static readonly layer = Layer.effect(
    UsageReports,
    Effect.gen(function* () {
      const store = yield* UsageStore
      const calls = yield* ApiCallCounter
      return UsageReports.of({
        report: Effect.fn("Usage.report")(function* ({ environment, limits, organization }) {
          const now = yield* Instant.now
          const owner = { organizationId: organization.id, environment }
          const period = findBillingPeriod(now)
          const seen = yield* store.ofMonth(owner, period)
          return {
            period: calculateBillingPeriodBounds(now),
            seen: { ...seen, apiCalls: seen.apiCalls + calls.unwritten(owner, period) },
            limits,
            remaining: {
              topics: calculateRemainingQuota(limits.topics_per_month, seen.topics),
              commentaries: calculateRemainingQuota(limits.commentaries_per_month, seen.commentaryUnits)
            }
          }
        })
      })
    })
  )
}
