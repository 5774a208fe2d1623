/** Handles the requests of the organization's dashboard about API keys. */
import { CurrentDashboard } from "@partner-commentary/api/DashboardAuth"
import { ok } from "@partner-commentary/api/Envelope"
import * as Errors from "@partner-commentary/api/Errors"
import { PartnerApi, partnerApiPrefix } from "@partner-commentary/api/PartnerApi"
import { defaultGracePeriod } from "@partner-commentary/core/access/ApiKeyRotation"
import { type ApiKeyManager, ApiKeys } from "@partner-commentary/core/access/ApiKeys"
import { RateLimits } from "@partner-commentary/core/access/RateLimits"
import type { Organization } from "@partner-commentary/core/partner/Organization"
import * as Ids from "@partner-commentary/core/shared/Ids"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { parseServicePathPrefix } from "../../http/Address.ts"
import { failWithInvalidRequest } from "../../http/Body.ts"
import * as Envelope from "../../http/Envelope.ts"
import { parseIdentifier } from "../../http/Identifier.ts"
import { makeRateLimitError } from "../../middleware/Authorization.ts"
import * as IdempotentRequests from "../../middleware/IdempotentRequests.ts"
import { decodeApiKeyChange, decodeApiKeyCreation, decodeApiKeyRotation } from "./ApiKeyBody.ts"
import { failWithApiKeyNotFound, makeKeyChangeErrorHandlers, makeKeyRotationErrorHandlers } from "./ApiKeyRefusals.ts"
import * as Views from "./ApiKeyViews.ts"

export const layer = HttpApiBuilder.group(
  PartnerApi,
  "api-keys",
  Effect.fnUntraced(function* (handlers) {
    const keys = yield* ApiKeys
    const limits = yield* RateLimits
    const { apiRoot } = yield* PublicAddress
    const answerOnce = yield* IdempotentRequests.make

    const created = <Data extends { readonly id: string }>(data: Data) =>
      HttpServerResponse.setHeader(
        Envelope.makeSuccessResponse(data, 201),
        "location",
        `${parseServicePathPrefix(apiRoot)}${partnerApiPrefix}/api-keys/${data.id}`
      )

    return handlers
      .handleRaw(
        "create",
        Effect.fnUntraced(function* ({ headers, request }) {
          const { by, organization } = yield* CurrentDashboard
          return yield* answerOnce({ headers, request, owner: keyOwnerOf(organization), secret: true }, ({ once }) =>
            Effect.gen(function* () {
              const body = yield* decodeApiKeyCreation(request)
              yield* Effect.mapError(limits.countNewKey(organization), makeRateLimitError)
              const issued = Effect.catchTags(keys.issue(organization, Views.toNewApiKeyInput(body), by), {
                TooManyKeys: ({ limit }) =>
                  failWithInvalidRequest({
                    field: "environment",
                    constraint: `has ${limit} active keys already, which is the most there can be: revoke one first`
                  }),
                // The validation of the request body has already checked the address list.
                InvalidAllowList: (broken) => Effect.die(broken)
              })
              return yield* once(Effect.map(issued, (key) => created(Views.toCreatedKey(key))))
            })
          )
        })
      )
      .handle("list", () =>
        Effect.flatMap(manager, ({ organizationId }) =>
          Effect.map(keys.list(organizationId), (all) => ok(all.map(Views.toKeySummary)))
        )
      )
      .handle(
        "find",
        Effect.fnUntraced(function* ({ params }) {
          const { organizationId } = yield* manager
          const found = keys.find(
            organizationId,
            yield* parseIdentifier(Ids.ApiKeyId, params.id, Errors.apiKeyNotFound)
          )
          return ok(Views.toKeySummary(yield* Effect.catchTag(found, "ApiKeyNotFound", () => failWithApiKeyNotFound)))
        })
      )
      .handleRaw(
        "rotate",
        Effect.fnUntraced(function* ({ headers, params, request }) {
          const { organization } = yield* CurrentDashboard
          const who = yield* manager
          return yield* answerOnce({ headers, request, owner: keyOwnerOf(organization), secret: true }, ({ once }) =>
            Effect.gen(function* () {
              const { grace_period_seconds: seconds } = yield* decodeApiKeyRotation(request)
              const grace = seconds === undefined ? defaultGracePeriod : Duration.seconds(seconds)
              yield* Effect.mapError(limits.countNewKey(organization), makeRateLimitError)
              const rotated = Effect.catchTags(
                keys.rotate(yield* parseIdentifier(Ids.ApiKeyId, params.id, Errors.apiKeyNotFound), grace, who),
                makeKeyRotationErrorHandlers("id")
              )
              return yield* once(
                Effect.map(rotated, ({ predecessor, ...issued }) =>
                  created({ ...Views.toCreatedKey(issued), replaces: Views.toRevokedKey(predecessor) })
                )
              )
            })
          )
        })
      )
      .handleRaw(
        "change",
        Effect.fnUntraced(function* ({ params, request }) {
          const who = yield* manager
          const { ip_whitelist: ipAllowList = null, name } = yield* decodeApiKeyChange(request)
          const id = yield* parseIdentifier(Ids.ApiKeyId, params.id, Errors.apiKeyNotFound)
          const changed = keys.change(id, { name: name?.trim() ?? null, ipAllowList }, who)
          return Envelope.makeSuccessResponse(
            Views.toKeySummary(yield* Effect.catchTags(changed, makeKeyChangeErrorHandlers("id")))
          )
        })
      )
      .handle(
        "revoke",
        Effect.fnUntraced(function* ({ params }) {
          const who = yield* manager
          const revoked = keys.revoke(yield* parseIdentifier(Ids.ApiKeyId, params.id, Errors.apiKeyNotFound), who)
          return ok(Views.toRevokedKey(yield* Effect.catchTag(revoked, "ApiKeyNotFound", () => failWithApiKeyNotFound)))
        })
      )
  })
)

/**
 * Returns the owner of a dashboard caller's idempotency key. Idempotency keys of dashboard callers belong to neither
 * the live nor the test environment.
 */
const keyOwnerOf = ({ id }: Organization): IdempotentRequests.IdempotencyKeyOwner => ({
  organizationId: id,
  environment: "dashboard"
})

const manager: Effect.Effect<ApiKeyManager, never, CurrentDashboard> = Effect.map(
  CurrentDashboard,
  ({ by, organization }) => ({ organizationId: organization.id, by })
)
