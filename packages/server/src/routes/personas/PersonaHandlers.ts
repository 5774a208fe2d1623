/** Handles requests about personas. */

import { CurrentPrincipal } from "@partner-commentary/api/ApiKeyAuth"
import * as Errors from "@partner-commentary/api/Errors"
import { PartnerApi } from "@partner-commentary/api/PartnerApi"
import type * as Api from "@partner-commentary/api/PersonasApi"
import { toOwner } from "@partner-commentary/core/access/Ownership"
import type { Persona } from "@partner-commentary/core/persona/Persona"
import { Personas } from "@partner-commentary/core/persona/Personas"
import * as Ids from "@partner-commentary/core/shared/Ids"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Envelope from "../../http/Envelope.ts"
import { parseIdentifier } from "../../http/Identifier.ts"
import { defaultAvatarPath } from "./Avatar.ts"

export const layer = HttpApiBuilder.group(
  PartnerApi,
  "personas",
  Effect.fnUntraced(function* (handlers) {
    const personas = yield* Personas
    const { apiRoot } = yield* PublicAddress

    const summary = ({ id, imageUrl, name }: Persona): typeof Api.PersonaSummary.Type => ({
      id,
      name,
      image_url: imageUrl || apiRoot + defaultAvatarPath
    })
    const detail = (persona: Persona): typeof Api.Persona.Type => {
      const { bio, expertise, socialLinks } = persona
      return { ...summary(persona), bio, expertise, social_links: socialLinks }
    }

    return handlers
      .handle("list", () =>
        Effect.flatMap(CurrentPrincipal, (principal) =>
          Effect.map(personas.list(toOwner(principal)), (all) => Envelope.makeSuccessResponse(all.map(summary)))
        )
      )
      .handle(
        "find",
        Effect.fnUntraced(function* ({ params }) {
          const owner = toOwner(yield* CurrentPrincipal)
          const id = yield* parseIdentifier(Ids.PersonaId, params.id, Errors.personaNotFound)
          const persona = yield* Effect.catchTags(personas.find(owner, id), {
            PersonaNotFound: () => Effect.fail(Errors.personaNotFound),
            NotLicensed: ({ personaId }) => Effect.fail(Errors.NotLicensed.of(personaId))
          })
          return Envelope.makeSuccessResponse(detail(persona))
        })
      )
  })
)
