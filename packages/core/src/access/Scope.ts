/** The permissions of an API key. */
import * as Schema from "effect/Schema"

export const Scope = Schema.Literals([
  "personas:read",
  "topics:submit",
  "topics:read",
  "usage:read",
  "webhooks:read",
  "webhooks:write"
])
export type Scope = typeof Scope.Type
export const allScopes: ReadonlyArray<Scope> = Scope.literals

/**
 * A scope as stored. During a rolling upgrade, a newer version may store a scope that this version does not know. An
 * unknown scope grants nothing, and responses omit it. A rotation copies the unknown scope to the new key.
 */
export const StoredScope = Schema.Union([Scope, Schema.String.pipe(Schema.brand("UnknownScope"))])
export type StoredScope = typeof StoredScope.Type

const isScope = Schema.is(Scope)
const isKnown = (scope: StoredScope): scope is Scope => isScope(scope)

export const knownScopes = (scopes: ReadonlyArray<StoredScope>): ReadonlyArray<Scope> => scopes.filter(isKnown)

/**
 * Keys without any webhook scope use these topic scopes for webhooks. The specification defines no webhook scopes, so
 * older keys have none.
 */
export const fallbackScopes: Partial<Record<Scope, Scope>> = {
  "webhooks:read": "topics:read",
  "webhooks:write": "topics:submit"
}

/**
 * Returns whether the scopes grant the needed scope. If a key has a webhook scope or an unknown scope, topic scopes do
 * not apply to webhooks. An unknown scope may be a webhook scope of a newer version.
 */
export const grantsScope = (scopes: ReadonlyArray<StoredScope>, needed: Scope): boolean => {
  if (scopes.includes(needed)) return true
  const other = fallbackScopes[needed]
  return other !== undefined && scopes.includes(other) && !scopes.some(endsReplacement)
}

const endsReplacement = (scope: StoredScope): boolean => !isKnown(scope) || scope in fallbackScopes
