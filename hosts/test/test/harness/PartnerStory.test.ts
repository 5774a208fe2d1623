/**
 * Tests a complete scenario as a partner's engineer would write it, with the official client, a webhook, three creators
 * and a moving clock.
 */
import type { WebhookEvent } from "@partner-commentary/client"
import { TestPartnerCommentary } from "@partner-commentary/test"
import { expect, it } from "vitest"

const content = "Will the Lakers make the play-offs?"
const perspective = "They will, but only just. The defence has finally woken up. Nobody wants to meet them in April."

it("a topic for three creators ends with one approved, one declined and one expired assignment", async () => {
  await using pc = await TestPartnerCommentary.make({ now: "2026-02-01T12:00:00Z" })
  const { organization, personas } = await pc.seed({
    organization: "Courtside App",
    personas: ["Ada Vance", { name: "Bo Lindqvist", bio: "Knows every rule." }, "Cy Okafor"]
  })
  const [ada, bo, cy] = personas
  const client = pc.client(organization)
  const url = "https://courtside.example/commentary"
  await client.webhooks.create({ url, events: ["creator.approved", "commentary.failed"] })

  const topic = await client.topics.create({
    content,
    persona_ids: personas.map(({ id }) => id),
    external_reference: "game:2026-02-01.LAL"
  })
  expect(topic.results.map(({ status }) => status)).toEqual(["sent", "sent", "sent"])
  for (const { persona_id, share_id } of topic.results) {
    const [mail, ...others] = pc.mailbox.about(share_id ?? "")
    expect(mail).toMatchObject({ to: { name: personas.find(({ id }) => id === persona_id)?.creator.name } })
    expect(mail?.text).toContain(content)
    expect(others).toEqual([])
  }

  await pc.clock.advance("1 hour")
  const first = await pc.creator(ada).respond(perspective)
  expect(first.draft).toMatchObject({ number: 1, content: expect.stringContaining(perspective) })
  await pc.creator(bo).decline("On holiday")
  expect(pc.webhooks.latest("commentary.failed").event.data).toMatchObject({
    persona: { name: "Bo Lindqvist" },
    reason: "declined"
  })

  const second = await pc.creator(ada).revise("Shorter, please.")
  expect(second.draft).toMatchObject({ number: 2, content: expect.stringContaining("Shorter, please.") })
  await pc.creator(ada).approve("They will, but only just.")
  expect(pc.webhooks.latest("creator.approved").event.data.commentary.content).toBe("They will, but only just.")
  expect((await client.topics.status(topic.topic_id)).overall_status).toBe("partial")

  await pc.clock.advance("48 hours")
  expect(pc.mailbox.to(cy).map(({ subject }) => subject.slice(0, 20))).toEqual([
    "Courtside App asks C",
    "Reminder: Courtside "
  ])
  const events: ReadonlyArray<WebhookEvent> = pc.webhooks.received.map(({ event }) => event)
  expect(events.map(({ type }) => type)).toEqual(["commentary.failed", "creator.approved", "commentary.failed"])

  const detail = await client.topics.byReference("game:2026-02-01.LAL")
  expect(detail.summary).toEqual({ total_personas: 3, completed: 1, pending: 0, failed: 2 })
  expect(detail.commentaries.map(({ commentary, failure }) => commentary?.content ?? failure?.reason)).toEqual([
    "They will, but only just.",
    "declined",
    "expired"
  ])
  await expect(client.topics.create({ content, persona_ids: [cy.id] })).resolves.toMatchObject({ personas_sent: 1 })
})

it("failed attempts at a draft are retried on schedule, and a permanent failure is mailed to the creator", async () => {
  await using pc = await TestPartnerCommentary.make()
  const { organization, personas } = await pc.seed()
  const client = pc.client(organization)
  await client.topics.create({ content, persona_ids: personas.map(({ id }) => id) })
  pc.generator.failNext({}, {})
  pc.generator.writeNext("They will. Just.")
  expect(await pc.creator("Ada Vance").respond(perspective)).toMatchObject({ draft: null, generation: "running" })
  await pc.clock.advance("1 minute")
  expect((await pc.creator("Ada Vance").view()).draft).toBeNull()
  await pc.clock.advance("10 minutes")
  expect((await pc.creator("Ada Vance").view()).draft?.content).toBe("They will. Just.")
  expect(pc.generator.requests).toHaveLength(3)

  pc.generator.failNext({ permanent: true })
  expect(await pc.creator("Ada Vance").revise("Shorter, please.")).toMatchObject({ draft: { number: 1 } })
  expect(pc.mailbox.latest("ada-vance-1@creators.example").subject).toContain("could not be written")
})

it("failed drafts and mails are restarted with pc.operations.retry, as the log advises", async () => {
  const lines: Array<string> = []
  await using pc = await TestPartnerCommentary.make({ log: (line) => lines.push(line) })
  const { organization, personas } = await pc.seed({ personas: ["Ada Vance", "Bo Lindqvist"] })
  const [ada, bo] = personas
  pc.mailbox.refuseNext({ permanent: true })
  await pc.client(organization).topics.create({ content, persona_ids: [ada.id] })
  await pc.client(organization).topics.create({ content, persona_ids: [bo.id] })
  pc.generator.failNext({ permanent: true })
  expect(await pc.creator(bo).respond(perspective)).toMatchObject({ draft: null, generation: "stalled" })
  expect(lines.join()).toContain("pc.operations.retry()")
  expect(await pc.operations.retry()).toEqual({ mails: 1, drafts: 1, media: 0 })
  expect(await pc.creator(bo).view()).toMatchObject({ draft: { number: 1 }, generation: null })
  expect(pc.mailbox.to(ada)).toHaveLength(1)
  expect(await pc.operations.retry()).toEqual({ mails: 0, drafts: 0, media: 0 })
})

it("simulated creators answer a topic of a test key as time passes, and no mail is sent", async () => {
  await using pc = await TestPartnerCommentary.make()
  const { organization } = await pc.seed({ personas: [] })
  const client = pc.client(organization, { environment: "test" })
  const testPersonas = (await client.personas.list()).slice(0, 3)
  const { topic_id } = await client.topics.create({ content, persona_ids: testPersonas.map(({ id }) => id) })
  await pc.clock.advance("10 seconds")
  expect((await client.topics.get(topic_id)).summary).toMatchObject({ completed: 1, failed: 2 })
  expect(pc.mailbox.all).toEqual([])
})

it("limits, scopes, licences and the dashboard behave as in the real service", async () => {
  await using pc = await TestPartnerCommentary.make()
  const { organization } = await pc.seed({ limits: "plan", personas: [] })
  const other = await pc.seed({ organization: "Elsewhere", personas: [{ name: "Di Moreau", licensed: false }] })
  const [di] = other.personas

  const reader = pc.client(await pc.key(organization, { scopes: ["topics:read"] }))
  await expect(reader.personas.list()).rejects.toMatchObject({ code: "scope_denied" })
  const client = pc.client(organization, { maxRetries: 0 })
  await expect(client.personas.get(di.id)).rejects.toMatchObject({ code: "not_licensed" })
  await pc.license(organization, di, new Date(pc.clock.now.getTime() + 60_000))
  await expect(client.personas.get(di.id)).resolves.toMatchObject({ name: "Di Moreau" })
  await pc.clock.advance("2 minutes")
  await expect(client.personas.get(di.id)).rejects.toMatchObject({ code: "not_licensed" })

  const calls = await Promise.allSettled(Array.from({ length: 101 }, () => client.usage.get()))
  const refusals = calls.flatMap((call) => (call.status === "rejected" ? [call.reason] : []))
  for (const refusal of refusals) expect(refusal).toMatchObject({ code: "rate_limit_exceeded" })
  expect(refusals).not.toEqual([])
  await pc.clock.advance("1 minute")
  await expect(client.usage.get()).resolves.toMatchObject({})

  const dashboard = pc.dashboard(organization)
  const made = await dashboard.apiKeys.create({ name: "CI", scopes: ["usage:read"] })
  await expect(pc.client(made.full_key).usage.get()).resolves.toMatchObject({})
  await dashboard.apiKeys.revoke(made.id)
  await expect(pc.client(made.full_key).usage.get()).rejects.toMatchObject({ code: "key_revoked" })
})
