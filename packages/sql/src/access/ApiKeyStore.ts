/** Stores API keys, and finds each key by the hash of the key's text. */
import { type ApiKey, TooManyKeys } from "@partner-commentary/core/access/ApiKey"
import { type ApiKeyChange, ApiKeyStore, type ApiKeyWithHash } from "@partner-commentary/core/access/ApiKeyStore"
import { StoredApiKeyScope } from "@partner-commentary/core/access/Scope"
import type { AuditEntry } from "@partner-commentary/core/shared/AuditLog"
import { ApiKeyId, OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { toIso } from "@partner-commentary/core/shared/Instant"
import { Environment } from "@partner-commentary/core/shared/Owner"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { forUpdate, limitClause } from "../database/Clauses.ts"
import { FlagColumn, InstantColumn } from "../database/Columns.ts"
import { takeAdvisoryLock } from "../database/Lock.ts"
import { mapRowsInSteps } from "../database/Steps.ts"
import { transact } from "../database/Transaction.ts"
import { appendEntry } from "../operations/AuditLog.ts"

const ApiKeyRow = Schema.Struct({
  id: ApiKeyId,
  lineageId: ApiKeyId,
  organizationId: OrganizationId,
  name: Schema.String,
  prefix: Schema.String,
  scopes: Schema.fromJsonString(Schema.Array(StoredApiKeyScope)),
  environment: Environment,
  ipAllowList: Schema.fromJsonString(Schema.Array(Schema.String)),
  createdAt: InstantColumn,
  expiresAt: Schema.NullOr(InstantColumn),
  revokedAt: Schema.NullOr(InstantColumn),
  isRevoked: FlagColumn,
  lastUsedAt: Schema.NullOr(InstantColumn)
}).pipe(
  Schema.encodeKeys({
    lineageId: "lineage_id",
    organizationId: "organization_id",
    ipAllowList: "ip_allow_list",
    createdAt: "created_at",
    expiresAt: "expires_at",
    revokedAt: "revoked_at",
    isRevoked: "is_revoked",
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

    const add = ({ hash, key }: ApiKeyWithHash) => sql`INSERT INTO api_keys ${sql.insert({ ...toRow(key), hash })}`

    const insert = Effect.fnUntraced(function* (issued: ApiKeyWithHash, limit: number, record: AuditEntry) {
      const { createdAt, environment, organizationId } = issued.key
      yield* takeAdvisoryLock(sql, `keys of ${organizationId} ${environment}`)
      const [active] = yield* sql<{ readonly count: number }>`SELECT CAST(COUNT(*) AS INTEGER) AS count FROM api_keys
        WHERE organization_id = ${organizationId} AND environment = ${environment} AND revoked_at IS NULL
          AND (expires_at IS NULL OR expires_at > ${toIso(createdAt)})`
      if ((active?.count ?? 0) >= limit) return yield* new TooManyKeys({ limit })
      yield* add(issued)
      yield* appendEntry(sql, record, yield* Instant.now)
    })

    const modify = Effect.fnUntraced(function* <E>(
      id: ApiKeyId,
      organizationId: OrganizationId | null,
      decide: (present: ApiKey) => Result.Result<ApiKeyChange, E>
    ) {
      const [row] = yield* sql`SELECT * FROM api_keys WHERE id = ${id} ${forUpdate(sql)}`
      const present = row === undefined ? undefined : fromRow(row)
      if (present === undefined || (organizationId !== null && present.organizationId !== organizationId)) {
        return Option.none<ApiKey>()
      }
      const { record, successor, ...change } = yield* Effect.fromResult(decide(present))
      const changed: ApiKey = { ...present, ...change }
      const { ip_allow_list, is_revoked, name, revoked_at } = toRow(changed)
      yield* sql`UPDATE api_keys
        SET ${sql.update({ ip_allow_list, is_revoked, name, revoked_at })} WHERE id = ${id}`
      if (successor !== null) yield* add(successor)
      if (record !== null) yield* appendEntry(sql, record, yield* Instant.now)
      return Option.some(changed)
    })

    return ApiKeyStore.of({
      insert: (issued, limit, record) => transact(sql, insert(issued, limit, record)),

      findByHash: (hash) => Effect.orDie(Effect.map(sql`SELECT * FROM api_keys WHERE hash = ${hash}`, first)),

      find: (organizationId, id) =>
        Effect.orDie(
          Effect.map(sql`SELECT * FROM api_keys WHERE id = ${id} AND organization_id = ${organizationId}`, first)
        ),

      list: (organizationId, endedSince, limit) => {
        const since = toIso(endedSince)
        return Effect.orDie(
          Effect.flatMap(
            sql`SELECT * FROM api_keys WHERE organization_id = ${organizationId}
              AND (revoked_at IS NULL OR revoked_at >= ${since}) AND (expires_at IS NULL OR expires_at >= ${since})
              ORDER BY created_at DESC, id DESC ${limitClause(sql, limit)}`,
            (rows) => mapRowsInSteps(rows, (row) => fromRow(row))
          )
        )
      },

      modify: (id, organizationId, decide) => transact(sql, modify(id, organizationId, decide)),

      // The updates run in the order of the key ids, so that two nodes cannot deadlock.
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
