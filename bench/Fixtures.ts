/** Creates an organization with a key on a Postgres database, with the product's own commands. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { PlanLimitName } from "@partner-commentary/core/partner/Plan"
import { commandLinePath, makeServerEnvironment } from "./Servers.ts"

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

export const createPartner = async (folder: string, variables: NodeJS.ProcessEnv): Promise<BenchmarkPartner> => {
  const { id } = await commandOn(folder, variables)("org", "create", "--name", "Bench", ...unlimited)
  return { organizationId: id, key: await createApiKey(folder, variables, id) }
}

export const createApiKey = async (
  folder: string,
  variables: NodeJS.ProcessEnv,
  organizationId: string
): Promise<string> => {
  const scopes = "topics:submit,topics:read,usage:read,personas:read"
  const words = ["--org", organizationId, "--name", "bench", "--scopes", scopes]
  return (await commandOn(folder, variables)("key", "create", ...words)).full_key
}
