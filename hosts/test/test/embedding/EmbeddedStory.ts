/**
 * Runs a whole workflow through `partnerCommentary` on a database of the host. The workflow covers mails, the creator's
 * answer, the commentary, usage and keys.
 */
import type { Database } from "partner-commentary/Database"
import { partnerCommentary } from "partner-commentary/PartnerCommentary"
import { expect } from "vitest"

interface Mail {
  readonly subject: string
  readonly text: string
}

const url = "https://app.example/commentary"

/** Opens the service, and returns a function that waits for the first mail with a given subject. */
export const openEmbeddedService = (database: Database, options: { readonly workers?: boolean } = {}) => {
  const mails: Array<Mail> = []
  const waiting: Array<() => void> = []
  const pc = partnerCommentary({
    url,
    secret: "32 characters or more, kept elsewhere",
    database,
    mail: (message) => {
      mails.push(message)
      for (const wake of waiting.splice(0)) wake()
    },
    generator: ({ perspective }) => `As I see it: ${perspective}`,
    logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    ...options
  })
  const mail = async (subject: RegExp): Promise<Mail> => {
    const found = mails.find((each) => subject.test(each.subject))
    if (found !== undefined) return found
    await new Promise<void>((resolve) => waiting.push(resolve))
    return mail(subject)
  }
  return { pc, mail, mails }
}

type Opened = ReturnType<typeof openEmbeddedService>
export type EmbeddedPartnerCommentary = Opened["pc"]

/** Creates an organization that is licensed for one persona. */
export const seedOrganization = async (pc: EmbeddedPartnerCommentary) => {
  const { id: organization_id } = await pc.organizations.create({ name: "Courtside" })
  const { id: persona_id } = await pc.personas.create({ name: "Ada Vance", creator: { email: "ada@host.example" } })
  await pc.licenses.grant({ organization_id, persona_id })
  return { organization_id, persona_id }
}

export const makeExampleTopic = (
  ids: Awaited<ReturnType<typeof seedOrganization>>,
  content = "Who wins the derby on Sunday?"
) => ({
  organization_id: ids.organization_id,
  content,
  persona_ids: [ids.persona_id]
})

const act = ({ pc }: Opened, { text }: Mail, action: string, body: object) => {
  const link = /https:\/\/app\.example\/commentary\/creator\/\S+/.exec(text)?.[0]
  const headers = { "content-type": "application/json", accept: "application/json" }
  return pc.fetch(new Request(`${link}/${action}`, { method: "POST", headers, body: JSON.stringify(body) }))
}

/** Runs the workflow from a new organization to the approved commentary, and checks the resulting data. */
export const runAndCheckWorkflow = async (service: Opened) => {
  const { mail, pc } = service
  const ids = await seedOrganization(pc)
  const { organization_id } = ids
  const { topic_id } = await pc.topics.submit({ ...makeExampleTopic(ids), external_reference: "derby-1" })
  expect((await act(service, await mail(/asks/), "respond", { perspective: "The home side." })).status).toBe(200)
  expect((await act(service, await mail(/draft/), "approve", {})).status).toBe(200)
  const { commentaries } = await pc.topics.find({ organization_id, topic_id })
  expect(commentaries.map(({ commentary }) => commentary?.content)).toEqual(["As I see it: The home side."])
  expect((await pc.topics.progress({ organization_id, topic_id })).overall_status).toBe("completed")
  expect(await pc.topics.list({ organization_id })).toMatchObject({ total: 1, topics: [{ topic_id }] })
  expect(await pc.usage.report({ organization_id })).toMatchObject({ usage: { topics_created: 1 } })
  await byKey(pc, organization_id, topic_id)
  expect(await pc.operations.purge({ dry_run: true })).toMatchObject({ dry_run: true })
}

/** Reads data over HTTP with API keys, as a partner does, so that each request counts toward the rate limits. */
const byKey = async (pc: EmbeddedPartnerCommentary, organization_id: string, topic_id: string) => {
  const scopes = ["personas:read", "topics:read"] as const
  for (const environment of ["live", "test"] as const) {
    const { full_key } = await pc.apiKeys.create({ organization_id, environment, name: environment, scopes })
    const headers = { "x-api-key": full_key, "content-type": "application/json" }
    const get = (path: string) => pc.fetch(new Request(`${url}/partner/v1${path}`, { headers }))
    const personas = await get("/personas")
    expect([personas.status, personas.headers.get("x-ratelimit-remaining")]).toEqual([200, expect.any(String)])
    expect((await get(`/topics/${topic_id}/status`)).status).toBe(environment === "live" ? 200 : 404)
  }
}
