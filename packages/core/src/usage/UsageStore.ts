/**
 * The port that reads monthly usage. TopicStore and AssignmentStore reserve and return commentary units in the same
 * transaction as their own changes.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Owner } from "../shared/Owner.ts"
import type { BillingPeriodName } from "./BillingPeriod.ts"
import type { QuotaUsage } from "./Quota.ts"

export interface MonthlyUsage extends QuotaUsage {
  /** The number of assignments whose first draft was stored in this month. */
  readonly commentariesGenerated: number
  /** The persisted number of authenticated requests in this month. */
  readonly apiCalls: number
}

export interface ApiCallCount {
  readonly owner: Owner
  readonly period: BillingPeriodName
  readonly calls: number
}

export class UsageStore extends Context.Service<
  UsageStore,
  {
    /** Returns the usage of a month; zeros for a month without activity. */
    readonly ofMonth: (owner: Owner, period: BillingPeriodName) => Effect.Effect<MonthlyUsage>
    /** Adds a number of calls to a month in one write. If the database connection is lost, the write adds no calls. */
    readonly addCalls: (calls: ApiCallCount) => Effect.Effect<void>
  }
>()("@partner-commentary/core/usage/UsageStore") {}
