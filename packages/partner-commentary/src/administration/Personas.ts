/** Publishes and changes personas. */
import type { Persona } from "@partner-commentary/core/persona/Persona"
import { PersonaRegistry } from "@partner-commentary/core/persona/PersonaRegistry"
import * as Ids from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { withAuditEntry } from "./Change.ts"

export const create = Effect.fnUntraced(function* (wanted: Omit<Persona, "id" | "createdAt">) {
  const persona: Persona = {
    ...wanted,
    id: yield* Ids.make(Ids.PersonaId, yield* SecureRandom.SecureRandom),
    createdAt: yield* Instant.now
  }
  const { insert } = yield* PersonaRegistry
  yield* withAuditEntry(Effect.as(insert(persona), Option.some(persona)), entry("persona.created"))
  return persona
})

/** Changes a persona. Returns none if the persona does not exist. */
export const update = (id: Ids.PersonaId, change: (present: Persona) => Persona) =>
  Effect.flatMap(PersonaRegistry, (registry) => withAuditEntry(registry.update(id, change), entry("persona.updated")))

const entry =
  (action: string) =>
  ({ id, name }: Persona) => ({ action, subject: id, organizationId: null, details: { name } })

/** Maps a persona to an object with the field names of the API. */
export const toApiPersona = (persona: Persona) => ({
  id: persona.id,
  name: persona.name,
  image_url: persona.imageUrl,
  bio: persona.bio,
  expertise: persona.expertise,
  social_links: persona.socialLinks,
  creator: persona.creator,
  created_at: Instant.toIso(persona.createdAt)
})
