/**
 * Defines the operations on API keys. The partner dashboard calls these operations with a token of its identity
 * provider.
 */

import { defaultGracePeriod, maxGracePeriod } from "@partner-commentary/core/access/ApiKeyRotation"
import { endedKeyListingPeriod } from "@partner-commentary/core/access/ApiKeys"
import * as IpAllowList from "@partner-commentary/core/access/IpAllowList"
import { ApiKeyScope, allScopes } from "@partner-commentary/core/access/Scope"
import * as Owner from "@partner-commentary/core/shared/Owner"
import * as Duration from "effect/Duration"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { DashboardAuth } from "./DashboardAuth.ts"
import { makeBodyOptional, schemaKeywordsAnnotation } from "./Documented.ts"
import { SuccessEnvelope } from "./Envelope.ts"
import { InvalidRequest, NotFound } from "./Errors.ts"
import * as Fields from "./Fields.ts"
import { IdempotencyHeaders } from "./IdempotencyKey.ts"

const maxName = 200
const maxEntries = 100

const Name = Schema.String.annotate({
  description: "The purpose of the key, as one line of text.",
  examples: ["Editorial backend"]
})

const Environment = Owner.Environment.annotate({
  description: "`live` or `test`. A test key has access to test data only.",
  examples: ["live"]
})

const Scopes = Schema.Array(
  ApiKeyScope.annotate({ message: `must be one of ${allScopes.join(", ")}`, examples: ["topics:submit"] })
).annotate({ description: "The key's permissions.", examples: [["topics:submit", "topics:read"]] })

const addressForm = {
  description:
    "The addresses that can use the key: IPv4 and IPv6 addresses and CIDR ranges, as they were sent. If empty, any address can.",
  examples: [["203.0.113.7", "2001:db8::/32"]]
} as const

const Address = Schema.String.annotate({
  description: "An address or a range.",
  examples: ["203.0.113.0/24"],
  [schemaKeywordsAnnotation]: { maxLength: 64 }
}).check(
  Schema.makeFilter((entry) => Result.isSuccess(IpAllowList.parseAllowList([entry])), {
    message: "must be an IPv4 or IPv6 address or a CIDR range, such as 203.0.113.7 or 2001:db8::/32"
  })
)

const ExpiresAt = Fields.Timestamp.annotate({
  description: "The time from which the key is refused.",
  examples: ["2027-01-30T12:00:00.000Z"]
})

/** The body of POST /api-keys. The service, not the schema, checks rules that depend on the current time. */
export const CreateApiKeyBody = Schema.Struct({
  name: Name.annotate({
    description:
      "The purpose of the key: one line of readable text, without control characters. Spaces around it are removed."
  }).check(
    Schema.isMinLength(1, { message: `must be 1 to ${maxName} characters long` }),
    Schema.isMaxCodePoints(maxName, { message: `must be 1 to ${maxName} characters long` })
  ),
  scopes: Scopes.check(
    Schema.isMinLength(1, { message: "must name at least one scope" }),
    Schema.isMaxLength(allScopes.length, { message: "must name each scope once at most" }).abort(),
    Schema.isUnique({ message: "must name each scope once at most" })
  ),
  environment: Schema.optionalKey(
    Environment.annotate({
      message: "must be live or test",
      description: "The environment of the key. The default is `live`."
    })
  ),
  ip_whitelist: Schema.optionalKey(
    Schema.Array(Address)
      .check(Schema.isMaxLength(maxEntries, { message: `must hold at most ${maxEntries} addresses and ranges` }))
      .annotate(addressForm)
  ),
  expires_at: Schema.optionalKey(
    ExpiresAt.annotate({ description: "The time from which the key is refused. It must be in the future." })
  )
}).annotate({ identifier: "CreateApiKey" })

/** The body of PATCH /api-keys/{id}. */
export const ChangeApiKeyBody = Schema.Struct({
  name: Schema.optionalKey(CreateApiKeyBody.fields.name),
  ip_whitelist: CreateApiKeyBody.fields.ip_whitelist
}).annotate({ identifier: "ChangeApiKey" })

const graceBounds = { minimum: 0, maximum: Duration.toSeconds(maxGracePeriod) }
const usualGrace = Duration.toSeconds(defaultGracePeriod)

/** The optional body of POST /api-keys/{id}/rotate. */
export const RotateApiKeyBody = Schema.Struct({
  grace_period_seconds: Schema.optionalKey(
    Schema.Int.check(
      Schema.isBetween(graceBounds, {
        message: `must be an integer from ${graceBounds.minimum} to ${graceBounds.maximum}`
      })
    ).annotate({
      description: `How long the old key keeps working. The default is ${usualGrace} seconds. If the key may be compromised, send 0: the service then refuses it at once.`,
      examples: [usualGrace]
    })
  )
}).annotate({ identifier: "RotateApiKey" })

const identity = {
  id: Fields.Uuid.annotate({ description: "The key's id. It is not secret." }),
  name: Name
}

const prefix = Schema.String.annotate({
  description: "The key's first characters, which identify the key but cannot be used in its place.",
  examples: ["pk_live_Zx81QvLm"]
})

const settings = {
  environment: Environment,
  ip_whitelist: Schema.Array(Schema.String).annotate(addressForm),
  expires_at: Schema.NullOr(ExpiresAt).annotate({
    description: "The time from which the key is refused. Null if the key does not expire."
  })
}

const fresh = {
  ...identity,
  full_key: Schema.String.annotate({
    description: "The key itself. Only this response contains it; it cannot be retrieved later.",
    examples: ["pk_live_Zx81QvLm3nR5tY7uJ9wKb2cD4eF6gH8i0aPqXs"]
  }),
  key_prefix: prefix,
  scopes: Scopes,
  created_at: Fields.Timestamp,
  ...settings
}

export const CreatedApiKey = Schema.Struct(fresh).annotate({ identifier: "CreatedApiKey" })

const RevokedAt = Fields.Timestamp.annotate({
  description:
    "The time from which the key is refused. For a rotated key it can be in the future: the key works until then."
})

export const RotatedApiKey = Schema.Struct({
  ...fresh,
  replaces: Schema.Struct({
    id: Fields.Uuid.annotate({ description: "The old key." }),
    revoked_at: RevokedAt
  }).annotate({ description: "The key that the new key replaces." })
}).annotate({ identifier: "RotatedApiKey" })

export const ApiKeySummary = Schema.Struct({
  ...identity,
  key_prefix: prefix,
  scopes: Scopes,
  ...settings,
  created_at: Fields.Timestamp,
  last_used_at: Schema.NullOr(Fields.Timestamp).annotate({
    description: "The time of the key's last request, accurate to some seconds. Null before the first request."
  }),
  revoked_at: Schema.NullOr(RevokedAt).annotate({
    description: "The time from which the key is refused. Null if the key was neither rotated nor revoked."
  })
}).annotate({ identifier: "ApiKeySummary" })

export const RevokedApiKey = Schema.Struct({
  id: identity.id,
  revoked_at: RevokedAt
}).annotate({ identifier: "RevokedApiKey" })

const id = {
  id: Fields.Uuid.annotate({
    description: "The key's id.",
    examples: ["019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"]
  })
}

export class ApiKeysApi extends HttpApiGroup.make("api-keys")
  .add(
    HttpApiEndpoint.post("create", "/api-keys", {
      headers: IdempotencyHeaders,
      payload: CreateApiKeyBody,
      success: HttpApiSchema.status(201)(SuccessEnvelope(CreatedApiKey))
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "createApiKey",
        summary: "Create an API key",
        description:
          "Creates a key for the dashboard's organization. Only this response contains the `full_key`. At most 20 keys can be active at a time in each environment, and at most 100 can be created and rotated in a day."
      })
    ),
    HttpApiEndpoint.get("list", "/api-keys", {
      success: SuccessEnvelope(
        Schema.Array(ApiKeySummary).annotate({
          description: `The keys of both environments, newest first. Keys that ended more than ${Duration.toDays(endedKeyListingPeriod)} days ago are omitted.`
        })
      )
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "listApiKeys",
        summary: "List API keys",
        description: "Lists the organization's keys, without `full_key`."
      })
    ),
    HttpApiEndpoint.get("find", "/api-keys/:id", {
      params: id,
      success: SuccessEnvelope(ApiKeySummary),
      error: NotFound
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "getApiKey",
        summary: "Get an API key",
        description: "Returns a key, without `full_key`."
      })
    ),
    HttpApiEndpoint.patch("change", "/api-keys/:id", {
      params: id,
      payload: ChangeApiKeyBody,
      success: SuccessEnvelope(ApiKeySummary),
      error: NotFound
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "updateApiKey",
        summary: "Change an API key",
        description:
          "Changes the name and the address list of an active key. The change applies everywhere within five seconds. Scopes, environment and expiry cannot be changed: create a new key instead."
      })
    ),
    HttpApiEndpoint.post("rotate", "/api-keys/:id/rotate", {
      headers: IdempotencyHeaders,
      params: id,
      payload: RotateApiKeyBody,
      success: HttpApiSchema.status(201)(SuccessEnvelope(RotatedApiKey)),
      error: [InvalidRequest, NotFound]
    })
      .annotateMerge(
        OpenApi.annotations({
          identifier: "rotateApiKey",
          summary: "Rotate an API key",
          description:
            "Creates a new key with the same settings and a new id. The old key keeps working for `grace_period_seconds`, so that you can switch your servers one after the other. A key that was revoked or rotated, or has expired, cannot be rotated."
        })
      )
      .annotate(OpenApi.Transform, makeBodyOptional),
    HttpApiEndpoint.delete("revoke", "/api-keys/:id", {
      params: id,
      success: SuccessEnvelope(RevokedApiKey),
      error: NotFound
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "revokeApiKey",
        summary: "Revoke an API key",
        description: "Permanently revokes a key, everywhere within five seconds. Safe to repeat."
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "API keys",
      description:
        "Operations with which the partner dashboard manages API keys. They require a token of its identity provider."
    })
  )
  .middleware(DashboardAuth) {}
