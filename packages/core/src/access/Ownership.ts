/** Returns the owner of the data that an API key can access. */
import type { Owner } from "../shared/Owner.ts"
import type { Principal } from "./ApiKeys.ts"

export const toOwner = ({ environment, organization }: Pick<Principal, "environment" | "organization">): Owner => ({
  organizationId: organization.id,
  environment
})
