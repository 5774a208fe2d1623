/** The port that tells what a month has seen. Holding and giving back happens with the change that causes it, in the topics' stores. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { OrganizationId } from "../shared/Ids.ts"
import type { PeriodName } from "./BillingPeriod.ts"
import type { Held } from "./Quota.ts"

export interface MonthlyUsage extends Held {
  /** Assignments whose first draft came in this month. */
  readonly commentariesGenerated: number
}

export class UsageStore extends Context.Service<
  UsageStore,
  {
    /** Zeros for a month that nothing happened in. */
    readonly ofMonth: (organizationId: OrganizationId, period: PeriodName) => Effect.Effect<MonthlyUsage>
  }
>()("@partner-commentary/core/usage/UsageStore") {}
