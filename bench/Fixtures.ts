/** Creates organizations, keys and personas with the product's commands. */
import { execFile } from "node:child_process"
import { mkdirSync } from "node:fs"
import { promisify } from "node:util"
import { PlanLimitName } from "@partner-commentary/core/partner/Plan"
import { commandLinePath, makeServerEnvironment, type ServerFixtures } from "./Servers.ts"

export interface BenchmarkPartner {
  readonly organizationId: string
  readonly key: string
}

const unlimited = PlanLimitName.literals.flatMap((name) => ["--limit", `${name}=1000000000`])

const commandOn =
  (folder: string, variables: NodeJS.ProcessEnv) =>
  async (...args: ReadonlyArray<string>) => {
    const { stdout } = await promisify(execFile)(process.execPath, [commandLinePath, ...args, "--json"], {
      cwd: folder,
      env: { ...makeServerEnvironment(folder), ...variables }
    })
    return JSON.parse(stdout)
  }

/** Creates an organization with very high limits, and an API key of the organization. */
export const createPartner = async (
  folder: string,
  variables: NodeJS.ProcessEnv,
  environment: "live" | "test" = "live"
): Promise<BenchmarkPartner> => {
  const { id } = await commandOn(folder, variables)("org", "create", "--name", "Bench", ...unlimited)
  return { organizationId: id, key: await createApiKey(folder, variables, id, environment) }
}

export const createApiKey = async (
  folder: string,
  variables: NodeJS.ProcessEnv,
  organizationId: string,
  environment: "live" | "test" = "live"
): Promise<string> => {
  const scopes = "topics:submit,topics:read,usage:read,personas:read"
  const words = ["--org", organizationId, "--name", "bench", "--scopes", scopes, "--environment", environment]
  return (await commandOn(folder, variables)("key", "create", ...words)).full_key
}

/** Creates an organization with very high limits, an API key and three licensed personas. */
export const makeFixtures = async (folder: string, variables: NodeJS.ProcessEnv = {}): Promise<ServerFixtures> => {
  mkdirSync(folder, { recursive: true })
  const command = commandOn(folder, variables)
  const { key, organizationId } = await createPartner(folder, variables)
  const personaIds: Array<string> = []
  for (const name of ["Ada", "Grace", "Katherine"]) {
    const email = `${name.toLowerCase()}@creators.example`
    const { id } = await command("persona", "create", "--name", name, "--creator-email", email)
    await command("license", "grant", "--org", organizationId, "--persona", id)
    personaIds.push(id)
  }
  return { key, personaIds }
}
