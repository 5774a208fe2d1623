/** Maps an organization to a row of the table, and back. */
import type { Organization } from "@partner-commentary/core/partner/Organization"
import { PlanLimitOverrides, PlanName } from "@partner-commentary/core/partner/Plan"
import { OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Schema from "effect/Schema"
import { InstantColumn } from "../database/Columns.ts"

const OrganizationRow = Schema.Struct({
  id: OrganizationId,
  name: Schema.String,
  plan: PlanName,
  limits: Schema.fromJsonString(PlanLimitOverrides),
  contactEmail: Schema.NullOr(Schema.String),
  identityId: Schema.NullOr(Schema.String),
  suspendedAt: Schema.NullOr(InstantColumn),
  createdAt: InstantColumn
}).pipe(
  Schema.encodeKeys({
    contactEmail: "contact_email",
    identityId: "identity_id",
    suspendedAt: "suspended_at",
    createdAt: "created_at"
  })
)

const decode = Schema.decodeUnknownSync(OrganizationRow)

export const organizationFromRow = (row: unknown): Organization => decode(row)

export const organizationToRow: (organization: Organization) => typeof OrganizationRow.Encoded =
  Schema.encodeSync(OrganizationRow)
