/** Tests that concurrent instances do not affect each other. */
import { TestPartnerCommentary } from "@partner-commentary/test"
import { expect, it } from "vitest"

const perspective = "They will, but only just. The defence has finally woken up."
const instances = 100

const live = async (at: number) => {
  const name = `Partner ${at}`
  const start = Date.UTC(2026, 0, 1) + at * 60_000
  await using pc = await TestPartnerCommentary.make({ now: start })
  const { organization, personas } = await pc.seed({ organization: name, personas: [`Persona ${at}`] })
  const client = pc.client(organization)
  await client.webhooks.create({ url: "https://partner.example/events", events: ["creator.approved"] })
  // All instances use the same topic content, which would be a duplicate if the instances shared state.
  const content = "Will the Lakers make the play-offs?"
  const topic = await client.topics.create({ content, persona_ids: personas.map(({ id }) => id) })
  if (at % 2 === 0) await pc.clock.advance("1 hour")
  if (at % 3 === 0) pc.generator.writeNext(`The words of ${at}.`)
  await pc.creator(personas[0]).respond(`${perspective} ${at}`)
  await pc.creator(personas[0]).approve()
  const { commentaries } = await client.topics.commentaries(topic.topic_id)
  return {
    now: pc.clock.now.getTime() - start,
    mails: pc.mailbox.all.map(({ subject, to }) => [
      to.name,
      subject.includes(name) || subject.includes(`Persona ${at}`)
    ]),
    topics: (await client.topics.list()).pagination.total,
    personas: (await client.personas.list()).map((persona) => persona.name),
    commentaries: commentaries.map((commentary) => commentary.content),
    events: pc.webhooks.received.map(({ event }) => (event.data as { topic_id?: string }).topic_id === topic.topic_id),
    asked: pc.generator.requests.map((request) => request.perspective)
  }
}

it(`${instances} concurrent instances do not affect each other, and each has its own clock`, async () => {
  const lives = await Promise.all(Array.from({ length: instances }, (_, at) => live(at)))
  for (const [at, life] of lives.entries()) {
    const said = `${perspective} ${at}`
    expect(life).toEqual({
      now: at % 2 === 0 ? 3_600_000 : 0,
      mails: [
        [`Partner ${at}`, expect.any(Boolean)],
        ["Persona", true],
        ["Persona", true]
      ],
      topics: 1,
      personas: [`Persona ${at}`],
      commentaries: [at % 3 === 0 ? `The words of ${at}.` : `Persona ${at} says: ${said}`],
      events: [true],
      asked: [said]
    })
  }
})
