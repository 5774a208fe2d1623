/** Maps rejected changes of API keys to the error responses of the API. */
import * as Errors from "@partner-commentary/api/Errors"
import * as Effect from "effect/Effect"

const refuse = (field: string, constraint: string) => Effect.fail(Errors.InvalidRequest.of([{ field, constraint }]))

/** A malformed id, an unknown API key and another organization's API key give the same response. */
export const failWithApiKeyNotFound = Effect.fail(Errors.apiKeyNotFound)

/** `field` is the name of the field that contains the API key's id in the request. */
export const makeKeyRotationErrorHandlers = (field: string) => ({
  ApiKeyNotFound: () => failWithApiKeyNotFound,
  KeyRevoked: () => refuse(field, "names a revoked key: create a new one instead"),
  KeyExpired: () => refuse(field, "names an expired key: create a new one instead"),
  KeyAlreadyRotated: () => refuse(field, "names a key that was rotated already: rotate its successor")
})

export const makeKeyChangeErrorHandlers = (field: string) => ({
  ApiKeyNotFound: () => failWithApiKeyNotFound,
  KeyRevoked: () => refuse(field, "names a revoked key, which cannot be changed"),
  KeyExpired: () => refuse(field, "names an expired key, which cannot be changed"),
  // The validation of the request body has already checked the address list.
  InvalidAllowList: (broken: unknown) => Effect.die(broken)
})
