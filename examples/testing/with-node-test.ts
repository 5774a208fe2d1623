/**
 * Tests a partner's application with Node's own runner and no other dependency. Run the tests with
 * `node --test examples/testing/with-node-test.ts`.
 */
import assert from "node:assert/strict"
import { test } from "node:test"
import { TestPartnerCommentary } from "@partner-commentary/test"
import { Newsroom } from "./Newsroom.ts"

const url = "https://newsroom.example/commentary"

test("a commentary is published after its creator has asked for another draft", async () => {
  await using pc = await TestPartnerCommentary.make()
  const { organization, personas } = await pc.seed()
  const client = pc.client(organization)
  const { secret } = await client.webhooks.create({ url, events: ["creator.approved"] })
  const newsroom = new Newsroom({ client, webhook: { url, secret } })
  pc.webhooks.handle(url, newsroom.receive)
  pc.generator.writeNext("A first try.", "They will, but only just.")

  const topic = await newsroom.ask("Will the Lakers make the play-offs?")
  const ada = pc.creator(personas[0])
  await ada.respond("They will, but only just. The defence has finally woken up.")
  await ada.revise("Shorter, please.")
  await ada.approve()
  assert.deepEqual(newsroom.published, ["Ada Vance: They will, but only just."])
  const { commentaries } = await client.topics.commentaries(topic)
  assert.ok(commentaries[0]?.partner_approved_at)
})

test("a commentary fails with generation_failed after an outage of the generator", async () => {
  await using pc = await TestPartnerCommentary.make()
  const { organization, personas } = await pc.seed()
  const client = pc.client(organization)
  pc.generator.failNext({}, {}, {}, {}, {})
  const { topic_id } = await client.topics.create({
    content: "Will the Lakers make the play-offs?",
    persona_ids: [personas[0].id]
  })
  await pc.creator(personas[0]).respond("They will, but only just. The defence has finally woken up.")
  await pc.clock.advance("2 days")
  assert.equal((await client.topics.get(topic_id)).commentaries[0]?.failure?.reason, "generation_failed")
})
