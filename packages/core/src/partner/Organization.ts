/** A calling partner: who buys commentary. Its keys, topics and usage refer to it. */
import type { OrganizationId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { LimitOverrides, PlanName } from "./Plan.ts"

export interface Organization {
  readonly id: OrganizationId
  /** Shown to creators as the one who asks. */
  readonly name: string
  readonly plan: PlanName
  readonly limits: LimitOverrides
  /** Who is told about undeliverable requests, and about new and changed webhooks. */
  readonly contactEmail: string | null
  /** The id by which the dashboard's identity provider knows it, where that differs. */
  readonly identityId: string | null
  /** While set, every key of it is refused; running workflows go on. */
  readonly suspendedAt: Instant | null
  readonly createdAt: Instant
}
