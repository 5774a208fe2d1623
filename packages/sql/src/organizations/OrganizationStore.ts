/** Reads organizations from the table that OrganizationRegistry writes. */
import { OrganizationStore } from "@partner-commentary/core/partner/OrganizationStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import { organizationFromRow } from "./OrganizationRow.ts"

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
