/** A scope is a permission of an API key. */
import * as Schema from "effect/Schema"

export const ApiKeyScope = Schema.Literals([
  "personas:read",
  "topics:submit",
  "topics:read",
  "usage:read",
  "webhooks:read",
  "webhooks:write"
])
export type ApiKeyScope = typeof ApiKeyScope.Type
export const allScopes: ReadonlyArray<ApiKeyScope> = ApiKeyScope.literals

/**
 * A scope as stored in the database. During a rolling upgrade, a newer version may have stored a scope that this
 * version does not know. An unknown scope grants no permission, and the API does not show unknown scopes. A key's
 * successor keeps unknown scopes.
 */
export const StoredApiKeyScope = Schema.Union([ApiKeyScope, Schema.String.pipe(Schema.brand("UnknownScope"))])
export type StoredApiKeyScope = typeof StoredApiKeyScope.Type

const isScope = Schema.is(ApiKeyScope)
const isKnown = (scope: StoredApiKeyScope): scope is ApiKeyScope => isScope(scope)

export const filterKnownScopes = (scopes: ReadonlyArray<StoredApiKeyScope>): ReadonlyArray<ApiKeyScope> =>
  scopes.filter(isKnown)

/**
 * For each webhook scope, the topic scope that grants the same operations to a key without webhook scopes. The
 * specification defines no webhook scopes, so older keys have only topic scopes.
 */
export const topicScopesByWebhookScope: Partial<Record<ApiKeyScope, ApiKeyScope>> = {
  "webhooks:read": "topics:read",
  "webhooks:write": "topics:submit"
}

/**
 * Returns whether the scopes grant the needed scope. A topic scope allows operations on webhooks only if the key has no
 * webhook scope and no unknown scope.
 */
export const grantsScope = (scopes: ReadonlyArray<StoredApiKeyScope>, needed: ApiKeyScope): boolean => {
  if (scopes.includes(needed)) return true
  const other = topicScopesByWebhookScope[needed]
  return other !== undefined && scopes.includes(other) && !scopes.some(endsReplacement)
}

const endsReplacement = (scope: StoredApiKeyScope): boolean => !isKnown(scope) || scope in topicScopesByWebhookScope
