/** The personas that an organization holds licences for. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { ApiKeyAuth, OwnLimit, RequiredScope } from "./ApiKeyAuth.ts"
import { Ok } from "./Envelope.ts"
import { NotFound, NotLicensed } from "./Errors.ts"
import * as Fields from "./Fields.ts"

const summary = { id: Fields.Uuid, name: Schema.String, image_url: Schema.String }

export const PersonaSummary = Schema.Struct(summary).annotate({ identifier: "PersonaSummary" })

export const Persona = Schema.Struct({
  ...summary,
  bio: Schema.String,
  expertise: Schema.Array(Schema.String),
  social_links: Schema.Record(Schema.String, Schema.String).annotate({ description: "Platform name to address." })
}).annotate({ identifier: "Persona" })

export class PersonasApi extends HttpApiGroup.make("personas")
  .add(
    HttpApiEndpoint.get("list", "/personas", { success: Ok(Schema.Array(PersonaSummary)) })
      .annotate(RequiredScope, "personas:read")
      .annotate(OwnLimit, "persona_lists_per_hour"),
    HttpApiEndpoint.get("find", "/personas/:id", {
      params: { id: Schema.String.annotate({ description: "The persona's id." }) },
      success: Ok(Persona),
      error: [NotLicensed, NotFound]
    }).annotate(RequiredScope, "personas:read")
  )
  .middleware(ApiKeyAuth) {}
