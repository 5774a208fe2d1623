/** Creates a partner, personas, licences and a key with the commands that an operator uses. */
import { highLimitFlags } from "../test/support/Partner.ts"
import { runJsonCommand, type TestServiceConfig } from "./Host.ts"

export interface SeededOrganization {
  readonly organizationId: string
  readonly key: string
  /** The ids of the created personas. */
  readonly personas: ReadonlyArray<string>
}

export const seedOrganization = async (at: TestServiceConfig, personas: number): Promise<SeededOrganization> => {
  const { id: organizationId } = await runJsonCommand<{ readonly id: string }>(
    at,
    "org",
    "create",
    "--name",
    "Courtside",
    ...highLimitFlags
  )
  const ids: Array<string> = []
  for (let number = 1; number <= personas; number++) {
    const email = `creator-${number}@creators.example`
    const words = ["persona", "create", "--name", `Persona ${number}`, "--creator-email", email]
    const { id } = await runJsonCommand<{ readonly id: string }>(at, ...words)
    await runJsonCommand(at, "license", "grant", "--org", organizationId, "--persona", id)
    ids.push(id)
  }
  const scopes = "personas:read,topics:submit,topics:read,usage:read,webhooks:read,webhooks:write"
  const words = ["key", "create", "--org", organizationId, "--name", "driver", "--scopes", scopes]
  const { full_key: key } = await runJsonCommand<{ readonly full_key: string }>(at, ...words)
  return { organizationId, key, personas: ids }
}
