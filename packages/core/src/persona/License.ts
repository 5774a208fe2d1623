/** A licence permits an organization to use a persona, with or without an end. */
import type { OrganizationId, PersonaId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"

export interface License {
  readonly organizationId: OrganizationId
  readonly personaId: PersonaId
  readonly grantedAt: Instant
  /** The end of the licence; null if the licence has no end. */
  readonly until: Instant | null
  readonly revokedAt: Instant | null
}

export const isLicenseActive = (license: Pick<License, "until" | "revokedAt">, now: Instant): boolean =>
  license.revokedAt === null && (license.until === null || now < license.until)
