/**
 * The port that reads monthly usage. TopicStore and AssignmentStore reserve and return commentary units in the same
 * transaction as their own changes.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Owner } from "../shared/Owner.ts"
import type { PeriodName } from "./BillingPeriod.ts"
import type { UsedQuota } from "./Quota.ts"

export interface MonthlyUsage extends UsedQuota {
  /** The number of assignments whose first draft was stored in this month. */
  readonly commentariesGenerated: number
  /** The persisted number of authenticated requests in this month. */
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
    /** Returns the usage of a month; zeros for a month without activity. */
    readonly ofMonth: (owner: Owner, period: PeriodName) => Effect.Effect<MonthlyUsage>
    /** Adds a number of calls to a month in one write. If the database connection is lost, the write adds no calls. */
    readonly addCalls: (calls: CallCount) => Effect.Effect<void>
  }
>()("@partner-commentary/core/usage/UsageStore") {}
