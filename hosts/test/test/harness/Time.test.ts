/** Tests the clock of the test host with promises only, as a partner's engineer would use the clock. */
import { TestPartnerCommentary } from "@partner-commentary/test"
import { expect, it } from "vitest"

const content = "Will the Lakers make the play-offs?"
const perspective = "They will, but only just. The defence has finally woken up."

it("a topic is submitted, its creator responds and approves, and the partner fetches the commentary", async () => {
  await using pc = await TestPartnerCommentary.make()
  const { organization, personas } = await pc.seed({ organization: "Courtside App", personas: ["Ada Vance"] })
  const [ada] = personas
  const client = pc.client(organization)

  const topic = await client.topics.create({ content, persona_ids: [ada.id] })
  expect(pc.mailbox.to(ada)).toHaveLength(1)
  expect(pc.mailbox.latest(ada).subject).toContain("Courtside App asks Ada Vance")

  const responded = await pc.creator(ada).respond(perspective)
  expect(responded.status).toBe("commentary_generated")
  expect(responded.draft?.content).toContain(perspective)
  expect(pc.mailbox.latest(ada).subject).toContain("A draft for Ada Vance is ready")
  const approved = await pc.creator(ada).approve("They will, but only just.")
  expect(approved.status).toBe("creator_approved")

  const { commentaries } = await client.topics.commentaries(topic.topic_id)
  expect(commentaries.map(({ content, persona }) => [persona.name, content])).toEqual([
    ["Ada Vance", "They will, but only just."]
  ])
})

it("the time changes only when the test moves the clock, and due jobs run in order at their due times", async () => {
  await using pc = await TestPartnerCommentary.make({ now: "2026-02-01T12:00:00Z" })
  const { organization, personas } = await pc.seed({ personas: ["Ada Vance", "Bo Lindqvist"] })
  const [ada, bo] = personas
  const client = pc.client(organization)
  const { topic_id } = await client.topics.create({ content, persona_ids: [ada.id, bo.id] })
  await pc.creator(ada).respond(perspective)
  await client.webhooks.create({ url: "https://partner.example/events", events: ["commentary.failed"] })

  await pc.clock.advance("30 days")
  const told = pc.webhooks.received.map(({ at, event }) => [at.toISOString(), event.type, event.data])
  expect(told).toEqual([
    ["2026-02-03T12:00:00.000Z", "commentary.failed", expect.objectContaining({ reason: "expired" })],
    ["2026-02-08T12:00:00.000Z", "commentary.failed", expect.objectContaining({ reason: "approval_timeout" })]
  ])
  expect(pc.clock.now.toISOString()).toBe("2026-03-03T12:00:00.000Z")
  expect(pc.mailbox.to(bo).map(({ subject }) => subject.split(":")[0])).toEqual([
    "Courtside asks Bo Lindqvist",
    "Reminder"
  ])
  expect((await client.topics.status(topic_id)).overall_status).toBe("completed")
})

it("a topic of the test environment is deleted after the retention period, and a live topic stays", async () => {
  await using pc = await TestPartnerCommentary.make({ now: "2026-02-01T12:00:00Z" })
  const { organization, personas } = await pc.seed()
  const submit = async (environment: "live" | "test") => {
    const { topics } = pc.client(organization, { environment })
    const { topic_id } = await topics.create({ content, persona_ids: [personas[0].id] })
    return () => topics.status(topic_id)
  }
  const [live, test] = [await submit("live"), await submit("test")]
  await pc.clock.advance("29 days")
  await test()
  await pc.clock.advance("3 days")
  await live()
  await expect(test()).rejects.toMatchObject({ code: "not_found" })
})
