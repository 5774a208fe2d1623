/** The contract for reading one's own key. */
import { allScopes, Scope } from "@partner-commentary/core/access/Scope"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ApiKeyAuth } from "./ApiKeyAuth.ts"
import { ApiKeySummary } from "./ApiKeysApi.ts"
import { text } from "./Documented.ts"
import { Ok } from "./Envelope.ts"
import * as Fields from "./Fields.ts"
import { usageGroup } from "./UsageGroup.ts"

const { environment, expires_at, id, ip_whitelist, key_prefix, name, revoked_at } = ApiKeySummary.fields

const RateWindow = Schema.Struct({
  name: text("The limit's name, as in `RateLimit`.", "requests_per_hour"),
  limit: Fields.count("Requests that the window allows.", 1000),
  remaining: Fields.count("Requests left in it, after this one.", 997),
  window_seconds: Fields.count("The length of the window.", 3600),
  resets_in_seconds: Fields.count("Seconds until the window ends.", 3540)
}).annotate({ identifier: "RateWindow", description: "A limit on requests, and what is left of it." })

export const Me = Schema.Struct({
  organization: Schema.Struct({
    id: Fields.Uuid.annotate({ description: "The organization's id." }),
    name: text("The organization's name.", "Courtside Media")
  }).annotate({ description: "The organization that the key belongs to." }),
  key: Schema.Struct({ id, name, key_prefix }).annotate({ description: "The key of this request." }),
  environment,
  scopes: Schema.Array(Scope).annotate({
    description: `What the key may do: some of ${allScopes.map((scope) => `\`${scope}\``).join(", ")}.`,
    examples: [["topics:submit", "topics:read"]]
  }),
  ip_whitelist,
  expires_at,
  revoked_at,
  windows: Schema.Array(RateWindow).annotate({ description: "The windows that count every request of the key." })
}).annotate({ identifier: "Me", description: "A key as it is in force." })

export class MeApi extends HttpApiGroup.make("me")
  .add(
    HttpApiEndpoint.get("show", "/me", { success: Ok(Me) }).annotateMerge(
      OpenApi.annotations({
        identifier: "getMe",
        summary: "Get the key of this request",
        description:
          "Whose key this is, what it may do, when it ends, and what is left of its rate limits. Every key may ask, whatever its scopes."
      })
    )
  )
  .annotateMerge(usageGroup)
  .middleware(ApiKeyAuth) {}
