/** Issues, rotates, revokes and authenticates API keys. */

import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type { Organization } from "../partner/Organization.ts"
import { OrganizationStore } from "../partner/OrganizationStore.ts"
import { type OrganizationLimits, resolveLimits } from "../partner/Plan.ts"
import type { AuditEntry } from "../shared/AuditLog.ts"
import { asCommonWork } from "../shared/FairShare.ts"
import * as Ids from "../shared/Ids.ts"
import { ApiKeyId, type OrganizationId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Environment } from "../shared/Owner.ts"
import { hashSha256Hex } from "../shared/Secret.ts"
import * as TtlCache from "../shared/TtlCache.ts"
import { AccessChanges, type ApiKeyPrefix, apiKeyCacheLifetime } from "./AccessChanges.ts"
import {
  type ApiKey,
  extractKeyPrefix,
  findKeyRejection,
  generateKeyText,
  type KeyExpired,
  type KeyRevoked,
  maxActiveKeys,
  parseKeyEnvironment,
  type TooManyKeys
} from "./ApiKey.ts"
import { type KeyAlreadyRotated, rotateApiKey } from "./ApiKeyRotation.ts"
import { ApiKeyStore } from "./ApiKeyStore.ts"
import * as IpAllowList from "./IpAllowList.ts"
import { type ApiKeyScope, grantsScope } from "./Scope.ts"

/** A principal is an authenticated caller with its key, organization and limits. */
export interface Principal {
  readonly key: ApiKey
  readonly organization: Organization
  readonly environment: Environment
  readonly limits: OrganizationLimits
}

/**
 * The key is missing or unknown, or its organization is suspended. `Unauthorized` does not tell the caller whether the
 * key or the organization is the reason.
 */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {}) {}
export class IpRestricted extends Schema.TaggedError<IpRestricted>()("IpRestricted", {}) {}
export class ScopeDenied extends Schema.TaggedError<ScopeDenied>()("ScopeDenied", { scope: Schema.String }) {}
export class InvalidAllowList extends Schema.TaggedError<InvalidAllowList>()("InvalidAllowList", {
  entry: Schema.String
}) {}
export class ApiKeyNotFound extends Schema.TaggedError<ApiKeyNotFound>()("ApiKeyNotFound", {}) {}

export interface NewApiKeyInput {
  readonly name: string
  readonly scopes: ReadonlyArray<ApiKeyScope>
  readonly environment: Environment
  readonly ipAllowList: ReadonlyArray<string>
  readonly expiresAt: Instant.Instant | null
}

/** A new key and its text. Only `IssuedApiKey` contains the full text of an API key. */
export interface IssuedApiKey {
  readonly key: ApiKey
  readonly fullKey: Redacted.Redacted<string>
}

/** A caller that manages an organization's keys. The audit log records `by` as the actor. */
export interface ApiKeyManager {
  readonly organizationId: OrganizationId
  readonly by: string
}

interface Known {
  readonly principal: Principal
  readonly allowList: ReturnType<typeof IpAllowList.parseAllowList>
}

export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** Creates a key in one transaction. If `by` is omitted, the audit log records the operator. */
    readonly issue: (
      organization: Pick<Organization, "id">,
      wanted: NewApiKeyInput,
      by?: string
    ) => Effect.Effect<IssuedApiKey, InvalidAllowList | TooManyKeys>
    /**
     * `authenticate` checks in this order: the key is known, its organization is not suspended, the key is not revoked
     * and not expired, and the key is allowed from this address. A cached key costs no query. `suspect` is true for an
     * address that recently sent invalid keys. All suspect addresses share `maxSuspectLookups` concurrent look-ups.
     */
    readonly authenticate: (
      fullKey: string,
      address: string,
      suspect?: boolean
    ) => Effect.Effect<Principal, Unauthorized | KeyRevoked | KeyExpired | IpRestricted>
    /**
     * Returns the caller if the cache holds the key and the key is valid. If `cachedPrincipal` returns undefined, the
     * request must call `authenticate`.
     */
    readonly cachedPrincipal: (fullKey: string, address: string, now: Instant.Instant) => Principal | undefined
    /** The old key keeps working during the grace period. Concurrent rotations of a key create only one successor. */
    readonly rotate: (
      id: ApiKeyId,
      grace: Duration.Duration,
      manager: ApiKeyManager
    ) => Effect.Effect<
      IssuedApiKey & { readonly predecessor: ApiKey },
      ApiKeyNotFound | KeyRevoked | KeyExpired | KeyAlreadyRotated
    >
    /**
     * A revocation takes effect on this node immediately, and on other nodes within `apiKeyCacheLifetime`. A repeated
     * revocation changes nothing. If `manager` is omitted, the operator is the actor and can revoke the keys of any
     * organization.
     */
    readonly revoke: (id: ApiKeyId, manager?: ApiKeyManager) => Effect.Effect<ApiKey, ApiKeyNotFound>
    /** Changes the fields that are not null. Other nodes apply the change within `apiKeyCacheLifetime`. */
    readonly change: (
      id: ApiKeyId,
      wanted: { readonly name: string | null; readonly ipAllowList: ReadonlyArray<string> | null },
      manager: ApiKeyManager
    ) => Effect.Effect<ApiKey, ApiKeyNotFound | KeyRevoked | KeyExpired | InvalidAllowList>
    readonly find: (organizationId: OrganizationId, id: ApiKeyId) => Effect.Effect<ApiKey, ApiKeyNotFound>
    /** Lists keys newest first, including keys that ended within `endedKeyListingPeriod`; at most `maxListed`. */
    readonly list: (organizationId: OrganizationId) => Effect.Effect<ReadonlyArray<ApiKey>>
  }
>()("@partner-commentary/core/access/ApiKeys") {
  static readonly layer = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const organizations = yield* OrganizationStore
      const changes = yield* AccessChanges
      const digest = yield* Digest.Digest
      const random = yield* SecureRandom.SecureRandom

      const lookUp = Effect.fnUntraced(function* (fullKey: string) {
        const key = yield* store.findByHash(yield* hashSha256Hex(digest, fullKey))
        if (Option.isNone(key)) return Option.none<Known>()
        const organization = yield* organizations.find(key.value.organizationId)
        if (Option.isNone(organization)) return Option.none<Known>()
        return Option.some<Known>({
          principal: {
            key: key.value,
            organization: organization.value,
            environment: key.value.environment,
            limits: resolveLimits(organization.value)
          },
          allowList: IpAllowList.parseAllowList(key.value.ipAllowList)
        })
      })

      /** The cache has a separate capacity for unknown keys, so that unknown keys cannot evict valid keys. */
      const callers = yield* TtlCache.make((key: string) => asCommonWork(lookUp(key)), {
        capacity: 10_000,
        timeToLive: apiKeyCacheLifetime,
        hasOwnCapacity: Option.isSome
      })
      const permits = yield* Semaphore.make(maxSuspectLookups)

      /** The message of a change contains only the key's prefix, so each cached key with this prefix is removed. */
      yield* changes.subscribe((changed: ApiKeyPrefix) => callers.invalidate((text) => text.startsWith(changed)))

      const mint = Effect.fnUntraced(function* (environment: Environment) {
        const fullKey = yield* generateKeyText(environment, random)
        const text = Redacted.value(fullKey)
        return {
          id: yield* Ids.make(ApiKeyId, random),
          prefix: extractKeyPrefix(text),
          fullKey,
          hash: yield* hashSha256Hex(digest, text)
        }
      })

      const known = (key: Option.Option<ApiKey>) =>
        Effect.fromResult(Result.fromOption(key, () => new ApiKeyNotFound()))

      const find = (organizationId: OrganizationId, id: ApiKeyId) =>
        Effect.flatMap(store.find(organizationId, id), known)

      return ApiKeys.of({
        issue: Effect.fn("ApiKeys.issue")(function* (organization, wanted, by = operator) {
          const list = IpAllowList.parseAllowList(wanted.ipAllowList)
          if (Result.isFailure(list)) return yield* new InvalidAllowList({ entry: list.failure })
          const { fullKey, hash, id, prefix } = yield* mint(wanted.environment)
          const key: ApiKey = {
            ...wanted,
            organizationId: organization.id,
            id,
            lineageId: id,
            prefix,
            createdAt: yield* Instant.now,
            revokedAt: null,
            isRevoked: false,
            lastUsedAt: null
          }
          yield* store.insert({ key, hash }, maxActiveKeys, record("key.created", key, by, { scopes: key.scopes }))
          return { key, fullKey }
        }),

        authenticate: Effect.fnUntraced(function* (fullKey, address, suspect = false) {
          // Reject a malformed key before the cache look-up, so that the key costs no query and no cache entry.
          if (Option.isNone(parseKeyEnvironment(fullKey))) return yield* new Unauthorized()
          const found = yield* callers.get(fullKey, suspect ? permits.withPermit : undefined)
          if (Option.isNone(found)) return yield* new Unauthorized()
          const { principal, allowList } = found.value
          if (principal.organization.suspendedAt !== null) return yield* new Unauthorized()
          const refused = findKeyRejection(principal.key, yield* Instant.now)
          if (Option.isSome(refused)) return yield* refused.value
          // An invalid allow list allows no address.
          if (Result.isFailure(allowList) || !IpAllowList.allowsAddress(allowList.success, address)) {
            return yield* new IpRestricted()
          }
          return principal
        }),

        cachedPrincipal: (fullKey, address, now) => {
          const found = callers.peek(fullKey, now)
          if (found === undefined || Option.isNone(found)) return undefined
          const { allowList, principal } = found.value
          const isAccepted =
            principal.organization.suspendedAt === null &&
            Option.isNone(findKeyRejection(principal.key, now)) &&
            Result.isSuccess(allowList) &&
            IpAllowList.allowsAddress(allowList.success, address)
          return isAccepted ? principal : undefined
        },

        rotate: Effect.fn("ApiKeys.rotate")(function* (id, grace, { by, organizationId }) {
          const present = yield* find(organizationId, id)
          const { fullKey, hash, ...fresh } = yield* mint(present.environment)
          const now = yield* Instant.now
          const changed = yield* store.modify(id, organizationId, (key) =>
            Result.map(rotateApiKey(key, fresh, grace, now), ({ isRevoked, revokedAt, successor }) => ({
              revokedAt,
              isRevoked,
              successor: { key: successor, hash },
              record: record("key.rotated", key, by, { successor: successor.id, revoked_at: Instant.toIso(revokedAt) })
            }))
          )
          const predecessor = yield* known(changed)
          yield* changes.publish(predecessor.prefix)
          return { key: yield* find(organizationId, fresh.id), fullKey, predecessor }
        }),

        revoke: Effect.fn("ApiKeys.revoke")(function* (id, manager) {
          const { by, organizationId } = manager ?? { by: operator, organizationId: null }
          const now = yield* Instant.now
          const changed = yield* store.modify(id, organizationId, (key) =>
            Result.succeed(
              key.revokedAt !== null && (key.isRevoked || key.revokedAt <= now)
                ? { revokedAt: key.revokedAt, isRevoked: true, successor: null, record: null }
                : { revokedAt: now, isRevoked: true, successor: null, record: record("key.revoked", key, by) }
            )
          )
          const revoked = yield* known(changed)
          yield* changes.publish(revoked.prefix)
          return revoked
        }),

        change: Effect.fn("ApiKeys.change")(function* (id, wanted, { by, organizationId }) {
          const list = IpAllowList.parseAllowList(wanted.ipAllowList ?? [])
          if (Result.isFailure(list)) return yield* new InvalidAllowList({ entry: list.failure })
          const now = yield* Instant.now
          const changed = yield* store.modify(id, organizationId, (key) => {
            const refused = findKeyRejection(key, now)
            if (Option.isSome(refused)) return Result.fail(refused.value)
            const { ipAllowList, name } = key
            const next = { name: wanted.name ?? name, ipAllowList: wanted.ipAllowList ?? ipAllowList }
            const details = {
              ...(next.name === name ? {} : { name: next.name }),
              ...(next.ipAllowList.join() === ipAllowList.join() ? {} : { ip_whitelist: next.ipAllowList })
            }
            return Result.succeed({
              ...next,
              revokedAt: key.revokedAt,
              isRevoked: key.isRevoked,
              successor: null,
              record: Object.keys(details).length === 0 ? null : record("key.changed", key, by, details)
            })
          })
          const present = yield* known(changed)
          yield* changes.publish(present.prefix)
          return present
        }),

        find,
        list: (organizationId) =>
          Effect.flatMap(Instant.now, (now) =>
            store.list(organizationId, Instant.plus(now, Duration.negate(endedKeyListingPeriod)), maxListed)
          )
      })
    })
  )
}

/** How long revoked and expired keys stay in the list. */
export const endedKeyListingPeriod = Duration.days(90)

/** Maximum number of concurrent look-ups of keys from all addresses that recently sent invalid keys. */
export const maxSuspectLookups = 4

/** Maximum number of keys in one list. */
const maxListed = 1000

const operator = "operator"

const record = (action: string, key: ApiKey, by: string, details: AuditEntry["details"] = {}): AuditEntry => ({
  action,
  subject: key.id,
  organizationId: key.organizationId,
  details: { by, ...details }
})

export const requireScope = (principal: Principal, scope: ApiKeyScope): Effect.Effect<void, ScopeDenied> =>
  grantsScope(principal.key.scopes, scope) ? Effect.void : Effect.fail(new ScopeDenied({ scope }))
