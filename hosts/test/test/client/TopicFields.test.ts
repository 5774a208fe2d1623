/** Tests the topic fields that every view of a topic contains. */
import { TestPartnerCommentary } from "@partner-commentary/test"
import { expect, it } from "vitest"

it("every view of a topic contains the topic's reference, metadata and output types", async () => {
  await using pc = await TestPartnerCommentary.make({ media: ["audio"] })
  const { organization, personas } = await pc.seed()
  const client = pc.client(organization)
  const given = { external_reference: "game-1", metadata: { desk: "sport" }, output_types: ["audio", "text"] as const }
  const topic = await client.topics.create({
    ...given,
    content: "Who wins the derby?",
    persona_ids: [personas[0].id]
  })
  await pc.creator(personas[0]).respond("They will, but only just. The defence has finally woken up.")
  await pc.creator(personas[0]).approve()
  const id = topic.topic_id
  const views = {
    create: topic,
    list: (await client.topics.list()).data[0],
    get: await client.topics.get(id),
    status: await client.topics.status(id),
    commentaries: await client.topics.commentaries(id),
    byReference: await client.topics.byReference(given.external_reference)
  }
  for (const [name, view] of Object.entries(views)) expect(view, name).toMatchObject(given)
  const [event] = (await client.events.list()).data
  const { metadata, external_reference } = given
  expect(event?.data).toMatchObject({ metadata, external_reference, topic: { status: "completed" } })
})
