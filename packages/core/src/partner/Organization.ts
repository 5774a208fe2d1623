/**
 * An organization is a partner that calls the API and buys commentary. API keys, topics and usage belong to an
 * organization.
 */
import type { OrganizationId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { PlanLimitOverrides, PlanName } from "./Plan.ts"

export interface Organization {
  readonly id: OrganizationId
  /** The name that creators read in requests from this organization. */
  readonly name: string
  readonly plan: PlanName
  readonly limits: PlanLimitOverrides
  /** The address for mails about undeliverable requests and about webhooks; null if the organization has no contact. */
  readonly contactEmail: string | null
  /** The organization's id at the dashboard's identity provider; null if the provider uses `id`. */
  readonly identityId: string | null
  /**
   * The time of suspension; null for an active organization. The service rejects all API keys of a suspended
   * organization. The existing assignments of a suspended organization continue.
   */
  readonly suspendedAt: Instant | null
  readonly createdAt: Instant
}
