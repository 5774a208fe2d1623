/** Tests the options of an instance, and the ways to call an instance. */
import { PartnerCommentary } from "@partner-commentary/client"
import { TestPartnerCommentary } from "@partner-commentary/test"
import * as Duration from "effect/Duration"
import { expect, it } from "vitest"

const content = "Will the Lakers make the play-offs?"
const perspective = "They will, but only just. The defence has finally woken up."

it("pc.fetch accepts the arguments of the global fetch with any host name, and can be passed to other code", async () => {
  await using pc = await TestPartnerCommentary.make()
  const { organization } = await pc.seed()
  const { fetch, url } = pc
  const headers = { "x-api-key": organization.apiKey }
  const path = "/partner/v1/personas"
  const answers = [
    await fetch(path, { headers }),
    await fetch(new URL(path, "https://api.example.com"), { headers }),
    await fetch(new Request(url + path, { headers })),
    await fetch(new Request(url + path), { headers })
  ]
  const texts = await Promise.all(answers.map((answer) => answer.text()))
  for (const text of texts) expect(JSON.parse(text)).toMatchObject({ success: true, data: [{ name: "Ada Vance" }] })
  const own = new PartnerCommentary({ apiKey: organization.apiKey, baseUrl: "https://api.example.com", fetch })
  expect(await own.personas.list()).toHaveLength(1)
  expect((await fetch("/nowhere")).status).toBe(404)
})

it("links and clients use the configured origin of the service, and a URL with a path is refused", async () => {
  await using pc = await TestPartnerCommentary.make({ url: "https://commentary.example/" })
  const { organization, personas } = await pc.seed()
  await pc.client(organization).topics.create({ content, persona_ids: [personas[0].id] })
  expect(pc.url).toBe("https://commentary.example")
  expect(pc.mailbox.latest(personas[0]).link).toMatch(/^https:\/\/commentary\.example\/creator\//)
  expect(await pc.creator(personas[0]).page()).toContain(content)
  for (const url of ["commentary.example", "ftp://commentary.example", "https://commentary.example/api"]) {
    await expect(TestPartnerCommentary.make({ url })).rejects.toThrow(
      `url is no origin such as https://api.example.com`
    )
  }
})

it("the response window of an instance can be configured", async () => {
  await using pc = await TestPartnerCommentary.make({ policy: { responseWindow: Duration.hours(2) } })
  const { organization, personas } = await pc.seed()
  const client = pc.client(organization)
  const { topic_id } = await client.topics.create({ content, persona_ids: [personas[0].id] })
  await pc.clock.advance("2 hours")
  expect((await client.topics.get(topic_id)).commentaries[0]?.failure?.reason).toBe("expired")
})

it("audio is made if the instance supports audio and the topic requests audio, and is null otherwise", async () => {
  for (const [media, types, url] of [
    [["audio"], ["text", "audio", "video"], expect.stringMatching(/^https:\/\/media\.example\.org\/\w{32}\.mp3$/)],
    [["audio"], ["text"], null],
    [[], ["audio"], null]
  ] as const) {
    await using pc = await TestPartnerCommentary.make({ media })
    const { organization, personas } = await pc.seed()
    const client = pc.client(organization)
    const asked = { content, persona_ids: [personas[0].id], output_types: [...types] }
    const { topic_id } = await client.topics.create(asked)
    await pc.creator(personas[0]).respond(perspective)
    await pc.creator(personas[0]).approve()
    const [entry] = (await client.topics.get(topic_id)).commentaries
    expect(entry?.commentary).toMatchObject({ audio_url: url, video_url: null })
  }
})

it("an instance passes its log lines to the given function", async () => {
  const lines: Array<string> = []
  await using pc = await TestPartnerCommentary.make({ log: (line) => lines.push(line) })
  const { organization, personas } = await pc.seed()
  const { results } = await pc.client(organization).topics.create({ content, persona_ids: [personas[0].id] })
  pc.generator.failNext()
  await pc.creator(personas[0]).respond(perspective)
  expect(lines.join("\n")).toContain("An attempt at a draft failed; will retry")
  expect(lines.join("\n")).toContain(results[0]?.share_id)
})

it("a temporarily refused mail is sent again, and a permanently refused mail is reported to the contact", async () => {
  await using pc = await TestPartnerCommentary.make()
  const { organization, personas } = await pc.seed({
    personas: ["Ada Vance", "Bo Lindqvist"],
    contactEmail: "desk@partner.example"
  })
  const [ada, bo] = personas
  const client = pc.client(organization)
  pc.mailbox.refuseNext({ permanent: false })
  await client.topics.create({ content, persona_ids: [ada.id] })
  expect(pc.mailbox.all).toEqual([])
  await pc.clock.advance("1 minute")
  expect(pc.mailbox.to(ada)).toHaveLength(1)
  pc.mailbox.refuseNext({ permanent: true })
  await client.topics.create({ content, persona_ids: [bo.id] })
  expect(pc.mailbox.to(bo)).toEqual([])
  // The contact gets the mail within an hour, because one mail reports all failures of that hour.
  await pc.clock.advance("61 minutes")
  expect(pc.mailbox.latest("desk@partner.example").subject).toContain("Your request did not reach Bo Lindqvist")
})
