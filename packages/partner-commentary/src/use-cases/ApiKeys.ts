/** Provides `pc.apiKeys`, which manages the API keys of partners. */
import type { ChangeApiKeyBody, CreateApiKeyBody, RotateApiKeyBody } from "@partner-commentary/api/ApiKeysApi"
import * as Errors from "@partner-commentary/api/Errors"
import { defaultGracePeriod } from "@partner-commentary/core/access/ApiKeyRotation"
import { ApiKeys } from "@partner-commentary/core/access/ApiKeys"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import {
  decodeApiKeyChangeText,
  decodeApiKeyCreationText,
  decodeApiKeyRotationText
} from "@partner-commentary/server/routes/api-keys/ApiKeyBody"
import {
  makeKeyChangeErrorHandlers,
  makeKeyRotationErrorHandlers
} from "@partner-commentary/server/routes/api-keys/ApiKeyRefusals"
import * as Views from "@partner-commentary/server/routes/api-keys/ApiKeyViews"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  ApiKeyIdInput,
  makeDecoder,
  makeNotFoundError,
  OrganizationIdInput,
  type RunUseCase,
  readOrganizationAsCaller,
  type TransactionOption,
  toJsonText
} from "./UseCase.ts"

export type CreateApiKeyInput = typeof CreateApiKeyBody.Encoded & { readonly organization_id: string }

interface KeyInput {
  readonly organization_id: string
  readonly api_key_id: string
}

const ofOrganization = makeDecoder(Schema.Struct({ organization_id: OrganizationIdInput }))
const one = makeDecoder(Schema.Struct({ organization_id: OrganizationIdInput, api_key_id: ApiKeyIdInput }))

const tooMany = ({ limit }: { readonly limit: number }) =>
  Errors.InvalidRequest.of([
    { field: "environment", constraint: `must have fewer than ${limit} active keys: revoke one first` }
  ])

const operatorOf = (organizationId: OrganizationId) => ({ organizationId, by: "operator" })

export const makeApiKeyUseCases = (run: RunUseCase) => ({
  /** Creates an API key. Only the result of `create` contains `full_key`. */
  create: (key: CreateApiKeyInput, options?: TransactionOption) =>
    run(
      Effect.gen(function* () {
        const { organization } = yield* readOrganizationAsCaller(yield* ofOrganization(key))
        const body = yield* Effect.mapError(Effect.flatMap(toJsonText(key), decodeApiKeyCreationText), invalid)
        const issued = (yield* ApiKeys).issue(organization, Views.toNewApiKeyInput(body))
        return Views.toCreatedKey(
          yield* Effect.catchTags(issued, {
            TooManyKeys: (error) => Effect.fail(tooMany(error)),
            // The validation of the input has already checked the address list.
            InvalidAllowList: (broken) => Effect.die(broken)
          })
        )
      }),
      options
    ),

  /** Lists API keys, newest first, including keys that ended recently. */
  list: (organization: { readonly organization_id: string }) =>
    run(
      Effect.gen(function* () {
        const owned = yield* ofOrganization(organization)
        yield* readOrganizationAsCaller(owned)
        return (yield* (yield* ApiKeys).list(owned.organization_id)).map(Views.toKeySummary)
      })
    ),

  /**
   * Changes the name or the allowed addresses of an API key. A change of an API key takes effect immediately in this
   * process, and within seconds in other processes. Fields that the input omits stay unchanged.
   */
  update: (key: KeyInput & typeof ChangeApiKeyBody.Encoded, options?: TransactionOption) =>
    run(
      Effect.gen(function* () {
        const { api_key_id, organization_id } = yield* one(key)
        const body = yield* Effect.mapError(Effect.flatMap(toJsonText(key), decodeApiKeyChangeText), invalid)
        const wanted = { name: body.name?.trim() ?? null, ipAllowList: body.ip_whitelist ?? null }
        const changed = (yield* ApiKeys).change(api_key_id, wanted, operatorOf(organization_id))
        return Views.toKeySummary(yield* Effect.catchTags(changed, makeKeyChangeErrorHandlers("api_key_id")))
      }),
      options
    ),

  /**
   * Creates a successor of an API key. Only the result of `rotate` contains the successor's `full_key`. The old key
   * works until the end of the grace period.
   */
  rotate: (key: KeyInput & typeof RotateApiKeyBody.Encoded, options?: TransactionOption) =>
    run(
      Effect.gen(function* () {
        const { api_key_id, organization_id } = yield* one(key)
        const body = yield* Effect.mapError(Effect.flatMap(toJsonText(key), decodeApiKeyRotationText), invalid)
        const { grace_period_seconds: seconds } = body
        const grace = seconds === undefined ? defaultGracePeriod : Duration.seconds(seconds)
        const rotated = (yield* ApiKeys).rotate(api_key_id, grace, operatorOf(organization_id))
        const { predecessor, ...issued } = yield* Effect.catchTags(rotated, makeKeyRotationErrorHandlers("api_key_id"))
        return { ...Views.toCreatedKey(issued), replaces: Views.toRevokedKey(predecessor) }
      }),
      options
    ),

  /**
   * Revokes an API key. The revocation takes effect immediately in this process, and within seconds in other processes.
   */
  revoke: (key: KeyInput, options?: TransactionOption) =>
    run(
      Effect.gen(function* () {
        const { api_key_id, organization_id } = yield* one(key)
        const revoked = (yield* ApiKeys).revoke(api_key_id, operatorOf(organization_id))
        return Views.toRevokedKey(
          yield* Effect.catchTag(revoked, "ApiKeyNotFound", () => Effect.fail(makeNotFoundError("API key")))
        )
      }),
      options
    )
})

const invalid = (failed: Errors.InvalidRequest | Parameters<typeof Errors.InvalidRequest.of>[0]) =>
  failed instanceof Errors.InvalidRequest ? failed : Errors.InvalidRequest.of(failed)
