/** Maps refused changes of API keys to the errors of the API. */
import * as Errors from "@partner-commentary/api/Errors"
import * as Effect from "effect/Effect"

const refuse = (field: string, constraint: string) => Effect.fail(Errors.InvalidRequest.of([{ field, constraint }]))

/** A malformed id, an unknown key and another organization's key give the same response. */
export const keyNotFound = Effect.fail(Errors.apiKeyNotFound)

/** `field` names the key's id in the caller's input. */
export const refusedRotations = (field: string) => ({
  ApiKeyNotFound: () => keyNotFound,
  KeyRevoked: () => refuse(field, "names a revoked key: create a new one instead"),
  KeyExpired: () => refuse(field, "names an expired key: create a new one instead"),
  KeyRotated: () => refuse(field, "names a key that was rotated already: rotate its successor")
})

export const refusedChanges = (field: string) => ({
  ApiKeyNotFound: () => keyNotFound,
  KeyRevoked: () => refuse(field, "names a revoked key, which cannot be changed"),
  KeyExpired: () => refuse(field, "names an expired key, which cannot be changed"),
  // The body's validation has already checked the list.
  InvalidAllowList: (broken: unknown) => Effect.die(broken)
})
