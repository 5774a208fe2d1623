/** Registers and changes organizations. A unique constraint prevents duplicate identity ids. */
import type { Organization } from "@partner-commentary/core/partner/Organization"
import { IdentityTaken, OrganizationRegistry } from "@partner-commentary/core/partner/OrganizationRegistry"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import { forUpdate } from "../database/Clauses.ts"
import { transact } from "../database/Transaction.ts"
import { organizationFromRow, organizationToRow } from "./OrganizationStore.ts"

export const layer = Layer.effect(
  OrganizationRegistry,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /**
     * Rejects an identity id that is the id of another organization. A check of the existing ids is sufficient, because
     * the service generates each new id and never reuses an id.
     */
    const refuseIds = Effect.fnUntraced(function* ({ id, identityId }: Organization) {
      if (identityId === null) return
      const named = yield* sql`SELECT id FROM organizations WHERE id = ${identityId.toLowerCase()} AND id <> ${id}`
      if (named.length > 0) return yield* new IdentityTaken({ identityId })
    })

    const update = Effect.fnUntraced(function* (id: OrganizationId, change: (present: Organization) => Organization) {
      const [row] = yield* sql`SELECT * FROM organizations WHERE id = ${id} ${forUpdate(sql)}`
      if (row === undefined) return Option.none<Organization>()
      const next = { ...change(organizationFromRow(row)), id }
      yield* refuseIds(next)
      yield* Effect.catchIf(
        sql`UPDATE organizations SET ${sql.update(organizationToRow(next), ["id"])} WHERE id = ${id}`,
        (error) => isSqlError(error) && error.reason._tag === "UniqueViolation",
        () => Effect.fail(new IdentityTaken({ identityId: next.identityId ?? "" }))
      )
      return Option.some(next)
    })

    return OrganizationRegistry.of({
      insert: Effect.fnUntraced(function* (organization) {
        yield* Effect.catchIf(refuseIds(organization), isSqlError, Effect.die)
        const inserted = yield* Effect.orDie(
          sql`INSERT INTO organizations ${sql.insert(organizationToRow(organization))}
            ON CONFLICT (identity_id) DO NOTHING RETURNING id`
        )
        if (inserted.length === 0) return yield* new IdentityTaken({ identityId: organization.identityId ?? "" })
      }),
      update: (id, change) => transact(sql, update(id, change)),
      list: Effect.orDie(
        Effect.map(sql`SELECT * FROM organizations ORDER BY created_at, id`, (rows) => rows.map(organizationFromRow))
      )
    })
  })
)
