/** A calling partner that buys commentary. Its keys, topics and usage refer to it. */
import type { OrganizationId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { LimitOverrides, PlanName } from "./Plan.ts"

export interface Organization {
  readonly id: OrganizationId
  /** Shown to creators as the sender of requests. */
  readonly name: string
  readonly plan: PlanName
  readonly limits: LimitOverrides
  /** Receives mails about undeliverable requests and about new and changed webhooks. */
  readonly contactEmail: string | null
  /** Its id at the dashboard's identity provider, if that differs. */
  readonly identityId: string | null
  /** While set, all its keys are rejected. Running workflows continue. */
  readonly suspendedAt: Instant | null
  readonly createdAt: Instant
}
