/**
 * The port that reads monthly usage. The transactions that change topics and assignments also reserve and return units.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Owner } from "../shared/Owner.ts"
import type { PeriodName } from "./BillingPeriod.ts"
import type { UsedQuota } from "./Quota.ts"

export interface MonthlyUsage extends UsedQuota {
  /** The number of assignments whose first draft was stored in this month. */
  readonly commentariesGenerated: number
  /** The number of authenticated requests, without requests that are not yet persisted. */
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
    /** Adds calls to a month. If the database connection is lost, the call changes nothing. */
    readonly addCalls: (calls: CallCount) => Effect.Effect<void>
  }
>()("@partner-commentary/core/usage/UsageStore") {}
