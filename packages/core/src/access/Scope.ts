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
export const all: ReadonlyArray<Scope> = Scope.literals

/** The scope that a key without any webhook scope needs instead. The specification knew no webhook scopes. */
export const insteadOf: Partial<Record<Scope, Scope>> = {
  "webhooks:read": "topics:read",
  "webhooks:write": "topics:submit"
}

/** A key with a webhook scope has no more of webhooks than that scope says. */
export const grants = (scopes: ReadonlyArray<Scope>, needed: Scope): boolean => {
  if (scopes.includes(needed)) return true
  const other = insteadOf[needed]
  return other !== undefined && scopes.includes(other) && !scopes.some((scope) => insteadOf[scope] !== undefined)
}
