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
 * The scope that applies to a key without any webhook scope. The specification defines no webhook scopes, so older keys
 * use the topic scopes instead.
 */
export const fallbackScopes: Partial<Record<Scope, Scope>> = {
  "webhooks:read": "topics:read",
  "webhooks:write": "topics:submit"
}

/** A key with at least one webhook scope may do with webhooks only what those scopes allow. */
export const grantsScope = (scopes: ReadonlyArray<Scope>, needed: Scope): boolean => {
  if (scopes.includes(needed)) return true
  const other = fallbackScopes[needed]
  return other !== undefined && scopes.includes(other) && !scopes.some((scope) => fallbackScopes[scope] !== undefined)
}
