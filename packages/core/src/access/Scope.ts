/** A scope is a permission of an API key. */
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
 * A scope as stored in the database. During a rolling upgrade, a newer version may have stored a scope that this
 * version does not know. An unknown scope grants no permission, and the API does not show unknown scopes. A key's
 * successor keeps unknown scopes.
 */
export const StoredScope = Schema.Union([Scope, Schema.String.pipe(Schema.brand("UnknownScope"))])
export type StoredScope = typeof StoredScope.Type

const isScope = Schema.is(Scope)
const isKnown = (scope: StoredScope): scope is Scope => isScope(scope)

export const knownScopes = (scopes: ReadonlyArray<StoredScope>): ReadonlyArray<Scope> => scopes.filter(isKnown)

/**
 * For each webhook scope, the topic scope that grants the same operations to a key without webhook scopes. The
 * specification defines no webhook scopes, so older keys have only topic scopes.
 */
export const fallbackScopes: Partial<Record<Scope, Scope>> = {
  "webhooks:read": "topics:read",
  "webhooks:write": "topics:submit"
}

/**
 * Returns whether the scopes grant the needed scope. If a key has a webhook scope, its topic scopes no longer allow
 * operations on webhooks. An unknown scope has the same effect.
 */
export const grantsScope = (scopes: ReadonlyArray<StoredScope>, needed: Scope): boolean => {
  if (scopes.includes(needed)) return true
  const other = fallbackScopes[needed]
  return other !== undefined && scopes.includes(other) && !scopes.some(endsReplacement)
}

const endsReplacement = (scope: StoredScope): boolean => !isKnown(scope) || scope in fallbackScopes
