/** Issuing keys, and telling who calls. Rate limits and what a call does are others'. */

import * as Cache from "effect/Cache"
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Organization } from "../partner/Organization.ts"
import { OrganizationStore } from "../partner/OrganizationStore.ts"
import { type Limits, limitsOf } from "../partner/Plan.ts"
import { AuditLog } from "../shared/AuditLog.ts"
import * as Ids from "../shared/Ids.ts"
import { ApiKeyId, type OrganizationId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import { hash } from "../shared/Secret.ts"
import {
  type ApiKey,
  type Environment,
  environmentOf,
  type KeyExpired,
  type KeyRevoked,
  mintText,
  prefixOf,
  refusal
} from "./ApiKey.ts"
import { ApiKeyStore } from "./ApiKeyStore.ts"
import * as IpAllowList from "./IpAllowList.ts"
import type { Scope } from "./Scope.ts"

/** Who calls: the key, its organization, and what that may do. */
export interface Principal {
  readonly key: ApiKey
  readonly organization: Organization
  readonly environment: Environment
  readonly limits: Limits
}

/** No key, no such key, or its organization is suspended: not told apart. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {}) {}
export class IpRestricted extends Schema.TaggedError<IpRestricted>()("IpRestricted", {}) {}
export class ScopeDenied extends Schema.TaggedError<ScopeDenied>()("ScopeDenied", { scope: Schema.String }) {}
export class InvalidAllowList extends Schema.TaggedError<InvalidAllowList>()("InvalidAllowList", {
  entry: Schema.String
}) {}
export class OrganizationNotFound extends Schema.TaggedError<OrganizationNotFound>()("OrganizationNotFound", {}) {}
export class ApiKeyNotFound extends Schema.TaggedError<ApiKeyNotFound>()("ApiKeyNotFound", {}) {}

export interface NewApiKey {
  readonly organizationId: OrganizationId
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly environment: Environment
  readonly ipAllowList: ReadonlyArray<string>
  readonly expiresAt: Instant.Instant | null
}

interface Known {
  readonly principal: Principal
  readonly allowList: ReturnType<typeof IpAllowList.parse>
}

export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** The only time the key's text is seen. */
    readonly issue: (
      wanted: NewApiKey
    ) => Effect.Effect<
      { readonly key: ApiKey; readonly fullKey: Redacted.Redacted<string> },
      InvalidAllowList | OrganizationNotFound
    >
    /** Refusals in the order known, revoked, expired, address. A key seen in the last seconds costs no query. */
    readonly authenticate: (
      fullKey: string,
      address: string
    ) => Effect.Effect<Principal, Unauthorized | KeyRevoked | KeyExpired | IpRestricted>
    /** Effective at once on this node, within `memory` elsewhere. Idempotent. */
    readonly revoke: (id: ApiKeyId) => Effect.Effect<ApiKey, ApiKeyNotFound>
    readonly list: (organizationId: OrganizationId) => Effect.Effect<ReadonlyArray<ApiKey>>
  }
>()("@partner-commentary/core/access/ApiKeys") {
  static readonly layer = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const organizations = yield* OrganizationStore
      const audit = yield* AuditLog
      const digest = yield* Digest.Digest
      const random = yield* SecureRandom.SecureRandom

      const lookUp = Effect.fnUntraced(function* (fullKey: string) {
        const key = yield* store.findByHash(yield* hash(digest, fullKey))
        if (Option.isNone(key)) return Option.none<Known>()
        const organization = yield* organizations.find(key.value.organizationId)
        if (Option.isNone(organization)) return Option.none<Known>()
        return Option.some<Known>({
          principal: {
            key: key.value,
            organization: organization.value,
            environment: key.value.environment,
            limits: limitsOf(organization.value)
          },
          allowList: IpAllowList.parse(key.value.ipAllowList)
        })
      })

      const known = yield* Cache.make({ capacity: 10_000, lookup: lookUp, timeToLive: memory })

      return ApiKeys.of({
        issue: Effect.fn("ApiKeys.issue")(function* (wanted) {
          const list = IpAllowList.parse(wanted.ipAllowList)
          if (Result.isFailure(list)) return yield* new InvalidAllowList({ entry: list.failure })
          if (Option.isNone(yield* organizations.find(wanted.organizationId))) return yield* new OrganizationNotFound()
          const fullKey = yield* mintText(wanted.environment, random)
          const id = yield* Ids.make(ApiKeyId, random)
          const key: ApiKey = {
            ...wanted,
            id,
            lineageId: id,
            prefix: prefixOf(Redacted.value(fullKey)),
            createdAt: yield* Instant.now,
            revokedAt: null,
            lastUsedAt: null
          }
          yield* store.insert(key, yield* hash(digest, Redacted.value(fullKey)))
          yield* audit.record({
            action: "key.created",
            subject: key.id,
            organizationId: key.organizationId,
            details: { by: "operator", scopes: key.scopes }
          })
          return { key, fullKey }
        }),

        authenticate: Effect.fnUntraced(function* (fullKey, address) {
          // Only what could be a key is remembered: what cannot costs nothing, however long it is.
          if (Option.isNone(environmentOf(fullKey))) return yield* new Unauthorized()
          const found = yield* Cache.get(known, fullKey)
          if (Option.isNone(found)) return yield* new Unauthorized()
          const { principal, allowList } = found.value
          if (principal.organization.suspendedAt !== null) return yield* new Unauthorized()
          const refused = refusal(principal.key, yield* Instant.now)
          if (Option.isSome(refused)) return yield* refused.value
          // A list that cannot be read allows nobody.
          if (Result.isFailure(allowList) || !IpAllowList.allows(allowList.success, address)) {
            return yield* new IpRestricted()
          }
          return principal
        }),

        revoke: Effect.fn("ApiKeys.revoke")(function* (id) {
          const revoked = yield* store.revoke(id, yield* Instant.now)
          if (Option.isNone(revoked)) return yield* new ApiKeyNotFound()
          yield* Cache.invalidateAll(known)
          yield* audit.record({
            action: "key.revoked",
            subject: id,
            organizationId: revoked.value.organizationId,
            details: { by: "operator" }
          })
          return revoked.value
        }),

        list: store.list
      })
    })
  )
}

/** So long is a key remembered, unknown ones too. */
const memory = "3 seconds"

export const requireScope = (principal: Principal, scope: Scope): Effect.Effect<void, ScopeDenied> =>
  principal.key.scopes.includes(scope) ? Effect.void : Effect.fail(new ScopeDenied({ scope }))
