/** The permissions of a key. */
import * as Schema from "effect/Schema"

export const Scope = Schema.Literals(["personas:read", "topics:submit", "topics:read", "usage:read"])
export type Scope = typeof Scope.Type
export const all: ReadonlyArray<Scope> = Scope.literals
