/** The port that reads monthly usage. Topic and assignment stores reserve and return units with the change itself. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Owner } from "../shared/Owner.ts"
import type { PeriodName } from "./BillingPeriod.ts"
import type { UsedQuota } from "./Quota.ts"

export interface MonthlyUsage extends UsedQuota {
  /** The number of assignments whose first draft was stored in this month. */
  readonly commentariesGenerated: number
  /** The number of authenticated requests that were persisted. */
  readonly apiCalls: number
}

export interface CallCount {
  readonly owner: Owner
  readonly period: PeriodName
  readonly calls: number
}

export class UsageStore extends Context.Service<
  UsageStore,
  {
    /** Returns zeros for a month without activity. */
    readonly ofMonth: (owner: Owner, period: PeriodName) => Effect.Effect<MonthlyUsage>
    /** Adds calls to a month. If the database connection is lost, no calls are added. */
    readonly addCalls: (calls: CallCount) => Effect.Effect<void>
  }
>()("@partner-commentary/core/usage/UsageStore") {}
