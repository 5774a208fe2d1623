/** Tests `respond_by` of a topic: the partner's own deadline for responses. */
import { TestPartnerCommentary } from "@partner-commentary/test"
import { expect, it } from "vitest"

const now = "2026-03-02T09:00:00.000Z"
const deadline = "2026-03-05T09:00:00.000Z"

const startScene = async () => {
  const pc = await TestPartnerCommentary.make({ now })
  const { organization, personas } = await pc.seed()
  const client = pc.client(organization)
  const topic = { content: "Who wins the derby?", persona_ids: [personas[0].id] }
  const expiry = async (id: string) => (await client.topics.status(id)).personas[0]?.expires_at
  return { pc, client, topic, expiry, persona: personas[0] }
}

it("the mail, the reminder and the status show the partner's deadline, and the assignment expires at that deadline", async () => {
  const { client, expiry, pc, persona, topic } = await startScene()
  await using _ = pc
  const { topic_id: id } = await client.topics.create({ ...topic, respond_by: "2026-03-05T10:00:00+01:00" })
  await pc.clock.advance("1 hour")
  expect(pc.mailbox.latest(persona).text).toContain("Answer by: Thursday 5 March 2026, 09:00 UTC")
  expect(await expiry(id)).toBe(deadline)

  await pc.clock.advanceTo("2026-03-03T20:59:00.000Z")
  expect(pc.mailbox.to(persona)).toHaveLength(1)
  await pc.clock.advanceTo("2026-03-03T21:01:00.000Z")
  expect(pc.mailbox.to(persona).map(({ text }) => /Answer by: (.*)/.exec(text)?.[1])).toEqual(
    Array(2).fill("Thursday 5 March 2026, 09:00 UTC")
  )

  await pc.clock.advanceTo("2026-03-05T08:59:59.000Z")
  expect((await client.topics.status(id)).personas[0]).toMatchObject({ failure: null, expires_at: deadline })
  await pc.clock.advanceTo("2026-03-05T09:00:01.000Z")
  expect((await client.topics.status(id)).personas[0]).toMatchObject({
    failure: { reason: "expired" },
    expires_at: null
  })
})

it("a late or refused mail does not move the partner's deadline", async () => {
  const { client, expiry, pc, persona, topic } = await startScene()
  await using _ = pc
  pc.mailbox.refuseNext({ permanent: true })
  const { topic_id: id } = await client.topics.create({ ...topic, respond_by: "2026-03-10T09:00:00.000Z" })
  await pc.clock.advance("1 hour")
  expect(await expiry(id)).toBe("2026-03-10T09:00:00.000Z")
  pc.mailbox.refuseNext({ permanent: false })
  const { topic_id: other } = await client.topics.create({
    ...topic,
    content: "Who wins the cup?",
    respond_by: deadline
  })
  await pc.clock.advance("12 hours")
  expect(pc.mailbox.to(persona).map(({ text }) => text.includes("Who wins the cup?"))).toEqual([true])
  expect(await expiry(other)).toBe(deadline)
})

it("the error for a deadline outside of the allowed range contains the range, and the error for an invalid time contains the format", async () => {
  const { client, pc, topic } = await startScene()
  await using _ = pc
  const create = (respond_by: string) => client.topics.create({ ...topic, respond_by })
  const constraint = "must be from 2026-03-02T10:00:00.000Z to 2026-03-16T09:00:00.000Z"
  for (const outside of ["2026-03-02T09:59:59.999Z", "2026-03-16T09:00:00.001Z", "2020-01-01T00:00:00Z"]) {
    await expect(create(outside)).rejects.toMatchObject({ details: { field: "respond_by", constraint } })
  }
  await expect(create("tomorrow")).rejects.toMatchObject({
    code: "invalid_request",
    details: { field: "respond_by", constraint: expect.stringMatching(/^must be an ISO 8601 moment with a time zone/) }
  })
  const { results } = await client.topics.createMany([{ ...topic, respond_by: "2020-01-01T00:00:00Z" }])
  expect(results[0]).toMatchObject({ status: "refused", error: { details: { field: "topics[0].respond_by" } } })
  expect((await client.topics.list()).data).toEqual([])
  await create("2026-03-02T10:00:00Z")
  await client.topics.create({ ...topic, content: "Who wins the cup?", respond_by: "2026-03-16T09:00:00Z" })
})
