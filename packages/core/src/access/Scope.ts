/** The permissions of a key. */
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
 * A scope as stored. During a rolling upgrade, a newer version may have stored a scope that this version does not know.
 * This version keeps the scope, so that a rotated key has it too, but the scope grants nothing and is not shown.
 */
export const StoredScope = Schema.Union([Scope, Schema.String.pipe(Schema.brand("UnknownScope"))])
export type StoredScope = typeof StoredScope.Type

const isScope = Schema.is(Scope)
const isKnown = (scope: StoredScope): scope is Scope => isScope(scope)

export const knownScopes = (scopes: ReadonlyArray<StoredScope>): ReadonlyArray<Scope> => scopes.filter(isKnown)

/**
 * The scope that applies to a key without any webhook scope. The specification defines no webhook scopes, so older keys
 * use the topic scopes instead.
 */
export const fallbackScopes: Partial<Record<Scope, Scope>> = {
  "webhooks:read": "topics:read",
  "webhooks:write": "topics:submit"
}

/**
 * If a key has at least one webhook scope, only webhook scopes allow its operations on webhooks. An unknown scope may
 * be a webhook scope, so topic scopes then do not apply either.
 */
export const grantsScope = (scopes: ReadonlyArray<StoredScope>, needed: Scope): boolean => {
  if (scopes.includes(needed)) return true
  const other = fallbackScopes[needed]
  return other !== undefined && scopes.includes(other) && !scopes.some(endsReplacement)
}

const endsReplacement = (scope: StoredScope): boolean => !isKnown(scope) || scope in fallbackScopes
