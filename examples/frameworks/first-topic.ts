/** Creates a first partner and a licensed persona, and submits a topic. Run this file in addition to the server. */
import { pc } from "./pc.ts"

const { id: organization_id } = await pc.organizations.create({ name: "Courtside" })
const creator = { name: "Ada", email: "ada@creators.example" }
const { id: persona_id } = await pc.personas.create({ name: "Ada Vance", creator })
await pc.licenses.grant({ organization_id, persona_id })
const scopes = ["personas:read", "topics:submit", "topics:read"] as const
const { full_key } = await pc.apiKeys.create({ organization_id, name: "first", scopes })

const topic = { content: "Who wins the derby on Sunday?", external_reference: "derby-1" }
await pc.topics.submit({ organization_id, persona_ids: [persona_id], ...topic })
console.log(full_key)
await pc.stop()
