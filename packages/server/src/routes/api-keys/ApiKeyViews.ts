/** Maps API keys to their JSON form in responses. */
import type { CreateApiKeyBody } from "@partner-commentary/api/ApiKeysApi"
import type { ApiKey } from "@partner-commentary/core/access/ApiKey"
import type { IssuedApiKey, NewApiKeyInput } from "@partner-commentary/core/access/ApiKeys"
import { filterKnownScopes } from "@partner-commentary/core/access/Scope"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Redacted from "effect/Redacted"

/** Converts a decoded request body to the argument of the use case. */
export const toNewApiKeyInput = (body: typeof CreateApiKeyBody.Type): NewApiKeyInput => ({
  name: body.name.trim(),
  scopes: body.scopes,
  environment: body.environment ?? "live",
  ipAllowList: body.ip_whitelist ?? [],
  expiresAt: body.expires_at === undefined ? null : Instant.fromIso(body.expires_at)
})

const settings = ({ environment, expiresAt, ipAllowList }: ApiKey) => ({
  environment,
  ip_whitelist: ipAllowList,
  expires_at: Instant.toIsoOrNull(expiresAt)
})

export const toCreatedKey = ({ fullKey, key }: IssuedApiKey) => ({
  id: key.id,
  name: key.name,
  full_key: Redacted.value(fullKey),
  key_prefix: key.prefix,
  scopes: filterKnownScopes(key.scopes),
  created_at: Instant.toIso(key.createdAt),
  ...settings(key)
})

export const toKeySummary = (key: ApiKey) => ({
  id: key.id,
  name: key.name,
  key_prefix: key.prefix,
  scopes: filterKnownScopes(key.scopes),
  ...settings(key),
  created_at: Instant.toIso(key.createdAt),
  last_used_at: Instant.toIsoOrNull(key.lastUsedAt),
  revoked_at: Instant.toIsoOrNull(key.revokedAt)
})

/** Maps an API key that was rotated or revoked. */
export const toRevokedKey = ({ id, revokedAt }: ApiKey) => ({ id, revoked_at: Instant.toIso(revokedAt ?? 0) })
