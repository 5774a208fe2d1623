/** Creates and changes organizations. Each partner that calls the API is an organization. */
import { AccessChanges } from "@partner-commentary/core/access/AccessChanges"
import type { Organization } from "@partner-commentary/core/partner/Organization"
import { OrganizationRegistry } from "@partner-commentary/core/partner/OrganizationRegistry"
import { resolveLimits } from "@partner-commentary/core/partner/Plan"
import * as Ids from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { withAuditEntry } from "./Change.ts"

export type NewOrganization = Pick<Organization, "name" | "plan" | "limits" | "contactEmail" | "identityId">

export const create = Effect.fnUntraced(function* (wanted: NewOrganization) {
  const organization: Organization = {
    ...wanted,
    id: yield* Ids.make(Ids.OrganizationId, yield* SecureRandom.SecureRandom),
    suspendedAt: null,
    createdAt: yield* Instant.now
  }
  const { insert } = yield* OrganizationRegistry
  yield* withAuditEntry(Effect.as(insert(organization), Option.some(organization)), entry("organization.created"))
  return organization
})

/** Changes an organization. Returns none if the organization does not exist. */
export const update = (id: Ids.OrganizationId, change: (present: Organization) => Organization) =>
  changeOrganization(id, "organization.updated", change)

/**
 * Suspends an organization, so that the service rejects the organization's API keys. Running workflows of a suspended
 * organization continue.
 */
export const suspend = Effect.fnUntraced(function* (id: Ids.OrganizationId) {
  const now = yield* Instant.now
  return yield* changeOrganization(id, "organization.suspended", (present) => ({
    ...present,
    suspendedAt: present.suspendedAt ?? now
  }))
})

export const resume = (id: Ids.OrganizationId) =>
  changeOrganization(id, "organization.resumed", (present) => ({ ...present, suspendedAt: null }))

const changeOrganization = (id: Ids.OrganizationId, action: string, change: (present: Organization) => Organization) =>
  Effect.flatMap(OrganizationRegistry, (registry) => withAuditEntry(registry.update(id, change), entry(action))).pipe(
    // Clear the cached API keys, because each cached key contains the limits and the suspension of its organization.
    Effect.tap((found) => (Option.isNone(found) ? Effect.void : AccessChanges.use(({ publish }) => publish(""))))
  )

const entry =
  (action: string) =>
  ({ id, limits, plan }: Organization) => ({
    action,
    subject: id,
    organizationId: id,
    details: { plan, limits: { ...limits } }
  })

/** Maps an organization to an object with the field names of the API. */
export const toApiOrganization = (organization: Organization) => ({
  id: organization.id,
  name: organization.name,
  plan: organization.plan,
  limits: resolveLimits(organization),
  contact_email: organization.contactEmail,
  identity_id: organization.identityId,
  suspended_at: Instant.toIsoOrNull(organization.suspendedAt),
  created_at: Instant.toIso(organization.createdAt)
})
