/** Whose things a caller by API key sees and makes. */
import type { Owner } from "../shared/Owner.ts"
import type { Principal } from "./ApiKeys.ts"

export const ownerOf = ({ environment, organization }: Principal): Owner => ({
  organizationId: organization.id,
  environment
})
