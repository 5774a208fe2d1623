/** Creates a first partner to try the service with: an organization, a licensed persona, and a key. */
import type { PartnerCommentary } from "partner-commentary"

// #region first-partner
export const createFirstPartner = async (pc: PartnerCommentary) => {
  const { id: organization_id } = await pc.organizations.create({ name: "Courtside" })
  const creator = { name: "Ada", email: "ada@creators.example" }
  const { id: persona_id } = await pc.personas.create({ name: "Ada Vance", creator, bio: "Twenty years courtside." })
  await pc.licenses.grant({ organization_id, persona_id })
  const scopes = ["personas:read", "topics:submit", "topics:read"] as const
  const { full_key } = await pc.apiKeys.create({ organization_id, name: "first", scopes })
  return { organization_id, persona_id, key: full_key }
}
// #endregion
