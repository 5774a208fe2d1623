/** The port that tells what a month has seen. Holding and giving back happens with the change that causes it, in the topics' stores. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Owner } from "../shared/Owner.ts"
import type { PeriodName } from "./BillingPeriod.ts"
import type { Held } from "./Quota.ts"

export interface MonthlyUsage extends Held {
  /** Assignments whose first draft came in this month. */
  readonly commentariesGenerated: number
  /** Authenticated requests, as far as they have been written down. */
  readonly apiCalls: number
}

export interface Calls {
  readonly owner: Owner
  readonly period: PeriodName
  readonly calls: number
}

export class UsageStore extends Context.Service<
  UsageStore,
  {
    /** Zeros for a month that nothing happened in. */
    readonly ofMonth: (owner: Owner, period: PeriodName) => Effect.Effect<MonthlyUsage>
    /** Adds to what the months have seen: all of it or, when the database is lost, nothing. */
    readonly addCalls: (calls: ReadonlyArray<Calls>) => Effect.Effect<void>
  }
>()("@partner-commentary/core/usage/UsageStore") {}
