/** Defines the operations that read the personas for which an organization has licenses. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ApiKeyAuth, EndpointRateLimit, RequiredScope } from "./ApiKeyAuth.ts"
import { makeTextSchema } from "./Documented.ts"
import { SuccessEnvelope } from "./Envelope.ts"
import { NotFound, NotLicensed } from "./Errors.ts"
import * as Fields from "./Fields.ts"

const summary = { id: Fields.PersonaId, name: Fields.PersonaName, image_url: Fields.PersonaImage }

export const PersonaSummary = Schema.Struct(summary).annotate({
  identifier: "PersonaSummary",
  description: "A persona in a list."
})

export const Persona = Schema.Struct({
  ...summary,
  bio: makeTextSchema(
    'The full biography. `""` if there is none.',
    "Twelve seasons beside the court, now in front of it."
  ),
  expertise: Schema.Array(makeTextSchema("A sport, a league or a topic.", "NBA")).annotate({
    description: "The subjects that the persona comments on.",
    examples: [["basketball", "NBA"]]
  }),
  social_links: Schema.Record(Schema.String, Schema.String.annotate({ format: "uri" })).annotate({
    description: "URLs by the name of the platform.",
    examples: [{ twitter: "https://twitter.com/jordanlee", instagram: "https://instagram.com/jordanlee" }]
  })
}).annotate({ identifier: "Persona", description: "A persona with all its fields." })

export class PersonasApi extends HttpApiGroup.make("personas")
  .add(
    HttpApiEndpoint.get("list", "/personas", {
      success: SuccessEnvelope(
        Schema.Array(PersonaSummary).annotate({
          description: "The personas that you can submit topics to, sorted by name."
        })
      )
    })
      .annotate(RequiredScope, "personas:read")
      .annotate(EndpointRateLimit, "persona_lists_per_hour")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "listPersonas",
          summary: "List licensed personas",
          description:
            "Lists the personas for which your organization has active licenses, sorted by name. The list is empty if there are none."
        })
      ),
    HttpApiEndpoint.get("find", "/personas/:id", {
      params: { id: Fields.PersonaId },
      success: SuccessEnvelope(Persona),
      error: [NotLicensed, NotFound]
    })
      .annotate(RequiredScope, "personas:read")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "getPersona",
          summary: "Get a persona",
          description: "Returns a licensed persona with biography, expertise and links."
        })
      )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Personas",
      description: "The personas that your organization has licenses for. Use their ids to submit topics."
    })
  )
  .middleware(ApiKeyAuth) {}
