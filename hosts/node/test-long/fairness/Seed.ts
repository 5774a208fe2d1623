/**
 * Fills the database before the service starts. The attacker gets data for the heaviest responses that the API allows,
 * and the victim gets little data.
 */

import { createHash, randomBytes, randomUUID } from "node:crypto"
import * as ApiKey from "@partner-commentary/core/access/ApiKey"
import * as Scope from "@partner-commentary/core/access/Scope"
import { PlanLimitName } from "@partner-commentary/core/partner/Plan"
import type { Environment } from "@partner-commentary/core/shared/Owner"
import { calculateTokenChecksum, toBase62 } from "@partner-commentary/core/shared/Secret"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as HeavyData from "./HeavyData.ts"

/**
 * Ids and keys for the requests of the attacker and the victim. The setup is plain JSON, because the test passes the
 * setup to other processes.
 */
export interface FairnessSetup {
  readonly attacker: SeededTenant
  /** Many organizations that attack at the same time. Each organization stays within its own limits. */
  readonly crowd: ReadonlyArray<SeededTenant>
  readonly victim: SeededTenant
  /** The creator links of the attacker's topics, which the test creates. */
  readonly links: ReadonlyArray<string>
  /** The attacker's dashboard token, which the test creates. */
  readonly token: string
}

export interface SeededTenant extends HeavyData.SeededResourceIds {
  readonly organization: string
  readonly live: ReadonlyArray<string>
  readonly test: ReadonlyArray<string>
  /** The ids of keys that an attack may revoke or rotate. */
  readonly spare: ReadonlyArray<string>
  readonly personas: ReadonlyArray<string>
}

/**
 * Limits so high that they do not restrict the attacker. With raised limits, only the service's other safeguards, such
 * as its fair queues, protect other organizations.
 */
export const raisedLimits: Readonly<Record<string, number>> = Object.fromEntries(
  PlanLimitName.literals.map((name) => [name, 1_000_000])
)

/** Each attack with standard limits takes unused keys, because a used key may have reached its rate limit. */
const attackerKeys = 300
const spareKeys = 60

/**
 * The number of organizations that attack at the same time. Together the attackers can run several times as many
 * requests as a Postgres pool has connections.
 */
const crowded = 12

const at = (millis: number) => new Date(millis).toISOString()

const personasOf = Effect.fnUntraced(function* (
  insert: HeavyData.InsertRows,
  organization: string,
  size: HeavyData.SeedDataSize,
  now: number
) {
  const ids = Array.from({ length: size.personas }, () => randomUUID() as string)
  yield* insert(
    "personas",
    ids.map((id) => ({
      id,
      name: `Persona ${id.slice(0, 8)}`,
      image_url: "",
      bio: "x".repeat(size.commentary.length / 2),
      expertise: "[]",
      social_links: "{}",
      creator_name: "Creator",
      creator_email: `${id}@creators.example`,
      creator_key: `${id}@creators.example`,
      created_at: at(now)
    }))
  )
  yield* insert(
    "licenses",
    ids.map((persona_id) => ({
      organization_id: organization,
      persona_id,
      granted_at: at(now),
      until_at: null,
      revoked_at: null
    }))
  )
  return ids
})

export const seedFairnessSetup = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = Date.now()
  const insert = HeavyData.insertInBatches(sql)

  const keys = Effect.fnUntraced(function* (organization: string, environment: Environment, count: number) {
    const made = Array.from({ length: count }, () => {
      const unchecked = `pk_${environment}_${toBase62(randomBytes(64), 32)}`
      return { id: randomUUID(), text: unchecked + calculateTokenChecksum(unchecked) }
    })
    yield* insert(
      "api_keys",
      made.map(({ id, text }) => ({
        id,
        hash: createHash("sha256").update(text).digest("hex"),
        organization_id: organization,
        environment,
        name: "seeded",
        prefix: ApiKey.extractKeyPrefix(text),
        scopes: JSON.stringify(Scope.allScopes),
        ip_allow_list: "[]",
        created_at: at(now),
        expires_at: null,
        revoked_at: null,
        last_used_at: null,
        lineage_id: id,
        is_revoked: 0
      }))
    )
    return made
  })

  const tenant = Effect.fnUntraced(function* (
    name: string,
    limits: object,
    size: HeavyData.SeedDataSize,
    keyCount: number
  ) {
    const organization = randomUUID()
    yield* insert("organizations", [
      {
        id: organization,
        name,
        plan: "standard",
        limits: JSON.stringify(limits),
        contact_email: `${name}@partners.example`,
        identity_id: null,
        suspended_at: null,
        created_at: at(now)
      }
    ])
    const live = yield* keys(organization, "live", keyCount)
    const test = yield* keys(organization, "test", keyCount)
    const spare = yield* keys(organization, "live", keyCount === 1 ? 0 : spareKeys)
    const personas = yield* personasOf(insert, organization, size, now)
    const names = yield* HeavyData.writeHeavyData(sql, insert, { organization, personas, size, now })
    return {
      organization,
      personas,
      live: live.map(({ text }) => text),
      test: test.map(({ text }) => text),
      spare: spare.map(({ id }) => id),
      ...names
    } satisfies SeededTenant
  })

  return yield* sql.withTransaction(
    Effect.gen(function* () {
      const attacker = yield* tenant("attacker", {}, HeavyData.heavyDataSize, attackerKeys)
      const victim = yield* tenant("victim", raisedLimits, HeavyData.smallDataSize, 1)
      const crowd = yield* Effect.forEach(Array.from({ length: crowded }), (_, nth) =>
        tenant(`crowd-${nth}`, raisedLimits, HeavyData.busyDataSize, 1)
      )
      return { attacker, crowd, victim }
    })
  )
})
