/** Tests that concurrent calls on one instance do not affect each other. */
import { TestPartnerCommentary } from "@partner-commentary/test"
import { expect, it } from "vitest"

const perspective = "They will, but only just. The defence has finally woken up."

it("each of many concurrent submissions sends its own mail, and each concurrent creator's response starts a draft", async () => {
  await using pc = await TestPartnerCommentary.make()
  const { organization, personas } = await pc.seed()
  const client = pc.client(organization)
  const persona_ids = personas.map(({ id }) => id)
  await Promise.all(
    Array.from({ length: 50 }, (_, at) =>
      client.topics.create({ content: `Who wins match number ${at}?`, persona_ids })
    )
  )
  expect(pc.mailbox.to(personas[0])).toHaveLength(50)
  expect(new Set(pc.mailbox.all.map(({ shareId }) => shareId)).size).toBe(50)
  const twice = { content: "And who wins the cup this year?", persona_ids }
  const [one, other] = await Promise.all([1, 2].map(() => client.topics.create(twice, { idempotencyKey: "cup" })))
  expect(one?.topic_id).toBe(other?.topic_id)
  await Promise.all(pc.mailbox.to(personas[0]).map((mail) => pc.creator(mail).respond(perspective)))
  expect(pc.generator.requests).toHaveLength(51)
})
