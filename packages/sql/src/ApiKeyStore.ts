/** API keys, found by the hash of their text. */
import { Environment } from "@partner-commentary/core/access/ApiKey"
import { ApiKeyStore } from "@partner-commentary/core/access/ApiKeyStore"
import { Scope } from "@partner-commentary/core/access/Scope"
import { ApiKeyId, OrganizationId } from "@partner-commentary/core/shared/Ids"
import { toIso } from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { InstantColumn } from "./Columns.ts"
import { transact } from "./Transaction.ts"

const ApiKeyRow = Schema.Struct({
  id: ApiKeyId,
  lineageId: ApiKeyId,
  organizationId: OrganizationId,
  name: Schema.String,
  prefix: Schema.String,
  scopes: Schema.fromJsonString(Schema.Array(Scope)),
  environment: Environment,
  ipAllowList: Schema.fromJsonString(Schema.Array(Schema.String)),
  createdAt: InstantColumn,
  expiresAt: Schema.NullOr(InstantColumn),
  revokedAt: Schema.NullOr(InstantColumn),
  lastUsedAt: Schema.NullOr(InstantColumn)
}).pipe(
  Schema.encodeKeys({
    lineageId: "lineage_id",
    organizationId: "organization_id",
    ipAllowList: "ip_allow_list",
    createdAt: "created_at",
    expiresAt: "expires_at",
    revokedAt: "revoked_at",
    lastUsedAt: "last_used_at"
  })
)

const fromRow = Schema.decodeUnknownSync(ApiKeyRow)
const toRow = Schema.encodeSync(ApiKeyRow)

export const layer = Layer.effect(
  ApiKeyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const first = ([row]: ReadonlyArray<unknown>) => (row === undefined ? Option.none() : Option.some(fromRow(row)))

    return ApiKeyStore.of({
      insert: (key, hash) =>
        Effect.orDie(Effect.asVoid(sql`INSERT INTO api_keys ${sql.insert({ ...toRow(key), hash })}`)),

      findByHash: (hash) => Effect.orDie(Effect.map(sql`SELECT * FROM api_keys WHERE hash = ${hash}`, first)),

      list: (organizationId) =>
        Effect.orDie(
          Effect.map(
            sql`SELECT * FROM api_keys WHERE organization_id = ${organizationId} ORDER BY created_at DESC, id DESC`,
            (rows) => rows.map((row) => fromRow(row))
          )
        ),

      revoke: (id, at) =>
        Effect.orDie(
          Effect.map(
            sql`UPDATE api_keys SET revoked_at = COALESCE(revoked_at, ${toIso(at)}) WHERE id = ${id} RETURNING *`,
            first
          )
        ),

      // In the order of the ids: two nodes never wait for each other's rows.
      markUsed: (uses) =>
        transact(
          sql,
          Effect.forEach(
            uses.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
            ({ at, id }) => {
              const iso = toIso(at)
              return sql`UPDATE api_keys SET last_used_at = ${iso}
                WHERE id = ${id} AND (last_used_at IS NULL OR last_used_at < ${iso})`
            },
            { discard: true }
          )
        )
    })
  })
)
