/** An organization is a partner that buys commentary. API keys, topics and usage refer to the organization. */
import type { OrganizationId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { LimitOverrides, PlanName } from "./Plan.ts"

export interface Organization {
  readonly id: OrganizationId
  /** The name that creators see as the sender of requests. */
  readonly name: string
  readonly plan: PlanName
  readonly limits: LimitOverrides
  /** The mail address for notices about undeliverable requests and about new and changed webhooks. */
  readonly contactEmail: string | null
  /**
   * The organization's id at the dashboard's identity provider; null if the provider uses the organization's own id.
   */
  readonly identityId: string | null
  /**
   * The time of the suspension. A suspended organization's keys are all rejected, but workflows that are already
   * running continue.
   */
  readonly suspendedAt: Instant | null
  readonly createdAt: Instant
}
