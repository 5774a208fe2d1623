/** Reads organizations from the table that OrganizationRegistry writes, and maps them to rows. */
import type { Organization } from "@partner-commentary/core/partner/Organization"
import { OrganizationStore } from "@partner-commentary/core/partner/OrganizationStore"
import { PlanLimitOverrides, PlanName } from "@partner-commentary/core/partner/Plan"
import { OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
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

export const layer = Layer.effect(
  OrganizationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const first = ([row]: ReadonlyArray<unknown>) =>
      row === undefined ? Option.none() : Option.some(organizationFromRow(row))
    return OrganizationStore.of({
      find: (id) => Effect.orDie(Effect.map(sql`SELECT * FROM organizations WHERE id = ${id}`, first)),
      findByIdentity: (identityId) =>
        Effect.orDie(Effect.map(sql`SELECT * FROM organizations WHERE identity_id = ${identityId}`, first))
    })
  })
)
