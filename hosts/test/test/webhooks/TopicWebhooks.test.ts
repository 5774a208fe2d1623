/** Tests the field `webhook_ids`. A topic uses this field to select which webhooks receive the topic's events. */
import { TestPartnerCommentary } from "@partner-commentary/test"
import { expect, it } from "vitest"

const perspective = "They will, but only just. The defence has finally woken up."

const startScene = async () => {
  const pc = await TestPartnerCommentary.make()
  const { organization, personas } = await pc.seed()
  const client = pc.client(organization)
  const register = (name: string) =>
    client.webhooks.create({ url: `https://example.com/${name}`, events: ["creator.approved", "topic.completed"] })
  const hooks = [await register("first"), await register("second"), await register("third")]
  const [first = "", second = "", third = ""] = hooks.map(({ id }) => id)
  let count = 0
  const newTopic = () => ({ content: `Who wins derby number ${++count}?`, persona_ids: [personas[0].id] })
  const approve = async () => {
    await pc.creator(personas[0]).respond(perspective)
    await pc.creator(personas[0]).approve()
  }
  const eventTopics = async (id: string) => {
    const { data } = await client.webhooks.deliveries(id)
    const topicsOf = (event: string) => data.filter(({ type }) => type === event).map(({ topic_id }) => topic_id)
    expect(topicsOf("topic.completed")).toEqual(topicsOf("creator.approved"))
    return topicsOf("creator.approved")
  }
  return { pc, client, hooks: [first, second, third] as const, newTopic, approve, eventTopics, personas }
}

it("only the named webhooks receive the events of a topic", async () => {
  const { approve, client, eventTopics, hooks, newTopic, pc } = await startScene()
  await using _ = pc
  const [first, second, third] = hooks
  const named = await client.topics.create({ ...newTopic(), webhook_ids: [third, first.toUpperCase()] })
  await approve()
  const none = await client.topics.create({ ...newTopic(), webhook_ids: [] })
  await approve()
  const all = await client.topics.create(newTopic())
  await approve()
  expect(await eventTopics(first)).toEqual([all.topic_id, named.topic_id])
  expect(await eventTopics(second)).toEqual([all.topic_id])
  expect(await eventTopics(third)).toEqual([all.topic_id, named.topic_id])

  const events = (await client.events.list({ type: "topic.completed" })).data.map(({ data }) => data.topic_id)
  expect(events).toEqual([all.topic_id, none.topic_id, named.topic_id])
  const shown = [named, none, await client.topics.get(named.topic_id), await client.topics.get(none.topic_id)]
  expect(shown.map(({ webhook_ids }) => webhook_ids)).toEqual([[third, first], [], [third, first], []])
  for (const view of [all, await client.topics.get(all.topic_id)]) expect(view).not.toHaveProperty("webhook_ids")
})

it("a topic is refused if one of its webhook_ids is not a webhook of the caller in this environment, and nothing is created", async () => {
  const { client, hooks, newTopic, pc } = await startScene()
  await using _ = pc
  const [first, second] = hooks
  const other = await pc.seed()
  const foreign = await pc.client(other.organization).webhooks.create({
    url: "https://example.com/other",
    events: ["creator.approved"]
  })
  await client.webhooks.delete(second)
  for (const id of [foreign.id, second, "7e570000-0000-4000-8000-00000000ffff"]) {
    const refused = client.topics.create({ ...newTopic(), webhook_ids: [first, id] })
    await expect(refused).rejects.toMatchObject({
      code: "invalid_request",
      details: {
        field: "webhook_ids[1]",
        constraint: "must be the id of one of your webhooks in the key's environment"
      }
    })
  }
  const { results } = await client.topics.createMany([newTopic(), { ...newTopic(), webhook_ids: [second] }])
  expect(results[1]).toMatchObject({ status: "refused", error: { details: { field: "topics[1].webhook_ids[0]" } } })
  expect((await client.topics.list()).data).toHaveLength(1)
  const many = Array.from({ length: 21 }, () => first)
  await expect(client.topics.create({ ...newTopic(), webhook_ids: many })).rejects.toMatchObject({
    details: { field: "webhook_ids", constraint: "must hold at most 20 webhook ids" }
  })
})
