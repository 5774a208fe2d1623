/** Defines the operation with which callers read their own API key. */
import { ApiKeyScope, allScopes } from "@partner-commentary/core/access/Scope"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ApiKeyAuth } from "./ApiKeyAuth.ts"
import { ApiKeySummary } from "./ApiKeysApi.ts"
import { makeTextSchema } from "./Documented.ts"
import { SuccessEnvelope } from "./Envelope.ts"
import * as Fields from "./Fields.ts"
import { usageGroupAnnotations } from "./UsageGroup.ts"

const { environment, expires_at, id, ip_whitelist, key_prefix, name, revoked_at } = ApiKeySummary.fields

const RateWindow = Schema.Struct({
  name: makeTextSchema("The name of the limit, as in `RateLimit`.", "requests_per_hour"),
  limit: Fields.makeCountSchema("The number of requests that the window allows.", 1000),
  remaining: Fields.makeCountSchema("The number of requests left in the window, after this one.", 997),
  window_seconds: Fields.makeCountSchema("The length of the window in seconds.", 3600),
  resets_in_seconds: Fields.makeCountSchema("The number of seconds until the window ends.", 3540)
}).annotate({ identifier: "RateWindow", description: "A rate limit, and how much of it is left." })

export const Me = Schema.Struct({
  organization: Schema.Struct({
    id: Fields.Uuid.annotate({ description: "The organization's id." }),
    name: makeTextSchema("The organization's name.", "Courtside Media")
  }).annotate({ description: "The organization that the key belongs to." }),
  key: Schema.Struct({ id, name, key_prefix }).annotate({ description: "The key of this request." }),
  environment,
  scopes: Schema.Array(ApiKeyScope).annotate({
    description: `The key's permissions, out of ${allScopes.map((scope) => `\`${scope}\``).join(", ")}.`,
    examples: [["topics:submit", "topics:read"]]
  }),
  ip_whitelist,
  expires_at,
  revoked_at,
  windows: Schema.Array(RateWindow).annotate({
    description: "The rate-limit windows that count every request of the key."
  })
}).annotate({ identifier: "Me", description: "The key of this request, with its permissions and limits." })

export class MeApi extends HttpApiGroup.make("me")
  .add(
    HttpApiEndpoint.get("show", "/me", { success: SuccessEnvelope(Me) }).annotateMerge(
      OpenApi.annotations({
        identifier: "getMe",
        summary: "Get the key of this request",
        description:
          "Returns the key's organization, scopes, expiry and remaining rate limits. Every key can call this operation, whatever its scopes."
      })
    )
  )
  .annotateMerge(usageGroupAnnotations)
  .middleware(ApiKeyAuth) {}
