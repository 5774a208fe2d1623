/** Handlers for personas. */

import { CurrentPrincipal } from "@partner-commentary/api/ApiKeyAuth"
import { ok } from "@partner-commentary/api/Envelope"
import * as Errors from "@partner-commentary/api/Errors"
import { PartnerApi } from "@partner-commentary/api/PartnerApi"
import { ownerOf } from "@partner-commentary/core/access/Ownership"
import type { Persona } from "@partner-commentary/core/persona/Persona"
import { Personas } from "@partner-commentary/core/persona/Personas"
import * as Ids from "@partner-commentary/core/shared/Ids"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { parseIdentifier } from "../../http/Identifier.ts"
import { avatarPath } from "./Avatar.ts"

export const layer = HttpApiBuilder.group(
  PartnerApi,
  "personas",
  Effect.fnUntraced(function* (handlers) {
    const personas = yield* Personas
    const { apiRoot } = yield* PublicAddress

    const summary = ({ id, imageUrl, name }: Persona) => ({ id, name, image_url: imageUrl || apiRoot + avatarPath })

    return handlers
      .handle("list", () =>
        Effect.flatMap(CurrentPrincipal, (principal) =>
          Effect.map(personas.list(ownerOf(principal)), (all) => ok(all.map(summary)))
        )
      )
      .handle(
        "find",
        Effect.fnUntraced(function* ({ params }) {
          const owner = ownerOf(yield* CurrentPrincipal)
          const id = yield* parseIdentifier(Ids.PersonaId, params.id, Errors.personaNotFound)
          const persona = yield* Effect.catchTags(personas.find(owner, id), {
            PersonaNotFound: () => Effect.fail(Errors.personaNotFound),
            NotLicensed: ({ personaId }) => Effect.fail(Errors.NotLicensed.of(personaId))
          })
          const { bio, expertise, socialLinks } = persona
          return ok({ ...summary(persona), bio, expertise, social_links: socialLinks })
        })
      )
  })
)
