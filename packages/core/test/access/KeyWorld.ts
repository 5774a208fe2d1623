/** Provides the ApiKeys service with in-memory ports that a test can inspect. */
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { AccessChanges } from "../../src/access/AccessChanges.ts"
import type { ApiKey } from "../../src/access/ApiKey.ts"
import { ApiKeyStore, type ApiKeyWithHash } from "../../src/access/ApiKeyStore.ts"
import { ApiKeys, type NewApiKeyInput } from "../../src/access/ApiKeys.ts"
import type { Organization } from "../../src/partner/Organization.ts"
import { OrganizationStore } from "../../src/partner/OrganizationStore.ts"
import type { AuditEntry } from "../../src/shared/AuditLog.ts"
import type { OrganizationId } from "../../src/shared/Ids.ts"
import { makeTestUuid } from "../topic/SampleAssignments.ts"

export const acmeOrganizationId = makeTestUuid<OrganizationId>(1)
export const acmeOrganization: Organization = {
  id: acmeOrganizationId,
  name: "Acme Sports",
  plan: "standard",
  limits: { requests_per_hour: 7 },
  contactEmail: null,
  identityId: null,
  suspendedAt: null,
  createdAt: 0
}
export const validNewApiKey: NewApiKeyInput = {
  name: "Server",
  scopes: ["topics:read"],
  environment: "live",
  ipAllowList: [],
  expiresAt: null
}
export const allowedAddress = "203.0.113.7"

/** Creates the state of the in-memory ports. */
const world = () => ({
  keys: new Map<string, ApiKey>(),
  organizations: new Map([[acmeOrganization.id, acmeOrganization]]),
  record: [] as AuditEntry[],
  lookUps: 0,
  /** The effect that runs after a look-up has read the key and before the look-up returns. */
  before: Effect.void as Effect.Effect<void>
})

const layer = (behind: ReturnType<typeof world>) => {
  const add = ({ hash, key }: ApiKeyWithHash) => void behind.keys.set(hash, key)
  const all = () => [...behind.keys]
  const store = ApiKeyStore.of({
    insert: (issued, _, record) =>
      Effect.sync(() => {
        add(issued)
        behind.record.push(record)
      }),
    findByHash: (hash) =>
      Effect.suspend(() => {
        behind.lookUps += 1
        const found = Option.fromUndefinedOr(behind.keys.get(hash))
        return Effect.as(behind.before, found)
      }),
    find: (owner, id) =>
      Effect.sync(() =>
        Option.fromUndefinedOr(all().find(([, key]) => key.id === id && key.organizationId === owner)?.[1])
      ),
    list: (id) => Effect.sync(() => [...behind.keys.values()].filter((key) => key.organizationId === id)),
    modify: (id, owner, decide) =>
      Effect.gen(function* () {
        const found = all().find(([, key]) => key.id === id && (owner ?? key.organizationId) === key.organizationId)
        if (found === undefined) return Option.none()
        const { isRevoked, record, revokedAt, successor } = yield* Effect.fromResult(decide(found[1]))
        const changed = { ...found[1], isRevoked, revokedAt }
        behind.keys.set(found[0], changed)
        if (successor !== null) add(successor)
        if (record !== null) behind.record.push(record)
        return Option.some(changed)
      }),
    markUsed: () => Effect.void
  })
  return ApiKeys.layer.pipe(
    Layer.provide(Layer.succeed(ApiKeyStore, store)),
    Layer.provide(
      Layer.succeed(OrganizationStore, {
        find: (id) => Effect.sync(() => Option.fromUndefinedOr(behind.organizations.get(id))),
        findByIdentity: () => Effect.succeedNone
      })
    ),
    Layer.provide([AccessChanges.layerProcess, Digest.layerWebCrypto, SecureRandom.layerWebCrypto])
  )
}

/** Creates the ApiKeys service with new ports and issues one key. */
export const issueTestKey = Effect.fnUntraced(function* (changes: Partial<NewApiKeyInput> = {}) {
  const behind = world()
  const keys = Context.get(yield* Layer.build(layer(behind)), ApiKeys)
  const { fullKey, key } = yield* keys.issue(acmeOrganization, { ...validNewApiKey, ...changes })
  const text = Redacted.value(fullKey)
  /** Authenticates a request that has the given key and client address. Returns the key's name, or the error's tag. */
  const met = (address = allowedAddress) =>
    Effect.match(keys.authenticate(text, address), {
      onFailure: ({ _tag }) => _tag,
      onSuccess: ({ key }) => key.name
    })
  return { behind, key, keys, met, text }
})
