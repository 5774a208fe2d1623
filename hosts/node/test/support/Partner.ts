/** Registers partners with a key and a licensed persona, and makes their API calls. */
import { PlanLimitName } from "@partner-commentary/core/partner/Plan"
import * as Process from "./Process.ts"

/** The flags of `org create` and `org update` that raise every limit, so that no test reaches a limit. */
export const highLimitFlags = PlanLimitName.literals.flatMap((name) => ["--limit", `${name}=1000000`])

export const registerPartner = async (cwd: string, env: Process.EnvironmentVariables = {}) => {
  const organization = await Process.runJsonCommand(cwd, ["org", "create", "--name", "Acme Sports"], env)
  const persona = await Process.runJsonCommand(
    cwd,
    ["persona", "create", "--name", "Ada Marsh", "--creator-email", "ada@creators.test"],
    env
  )
  await Process.runJsonCommand(cwd, ["license", "grant", "--org", organization.id, "--persona", persona.id], env)
  const key = await Process.runJsonCommand(
    cwd,
    ["key", "create", "--org", organization.id, "--name", "k", "--scopes", "topics:submit,topics:read,personas:read"],
    env
  )
  return { organization, persona, key: key.full_key as string, keyId: key.id as string }
}

/** Registers an organization with a test key. Test keys need no licences. */
export const registerTestPartner = async (
  cwd: string,
  name: string,
  env: Process.EnvironmentVariables = {}
): Promise<{ readonly id: string; readonly key: string }> => {
  const { id } = await Process.runJsonCommand(cwd, ["org", "create", "--name", name], env)
  const words = ["--org", id, "--name", "k", "--scopes", "topics:submit,topics:read", "--environment", "test"]
  const { full_key: key } = await Process.runJsonCommand(cwd, ["key", "create", ...words], env)
  return { id, key }
}

/** The id of the test persona that declines every topic immediately. */
export const decliningPersonaId = "7e570000-0000-4000-8000-000000000002"

/** Reads the demo organization's key and persona from the server's output. */
export const readDemoCredentials = (service: Process.RunningService) => ({
  key: /pk_live_\w+/.exec(service.stdout())?.[0] ?? "",
  persona: { id: / ([0-9a-f-]{36}) {2}Ada/.exec(service.stdout())?.[1] ?? "" }
})

export const callApi = async (apiRoot: string, key: string, path: string, body?: unknown) => {
  const response = await fetch(`${apiRoot}/partner/v1${path}`, {
    headers: { "x-api-key": key, "content-type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
  })
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of the JSON
  return { status: response.status, body: (await response.json()) as any }
}

/** Submits a topic to one persona, and returns the share id of the assignment. */
export const submitTopic = async (apiRoot: string, key: string, personaId: string): Promise<string> => {
  const reference = `r-${Math.random()}`
  const submitted = await callApi(apiRoot, key, "/topics", {
    content: `Who wins the derby? ${reference}`,
    persona_ids: [personaId],
    external_reference: reference
  })
  if (submitted.status !== 201) throw new Error(`not submitted: ${JSON.stringify(submitted)}`)
  const found = await callApi(apiRoot, key, `/topics/by-reference/${reference}`)
  return found.body.data.commentaries[0].share_id
}
