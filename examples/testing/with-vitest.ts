/** Tests a partner's application with vitest. Each test has a service in memory, and controls the creators. */

// #region vitest
import { TestPartnerCommentary } from "@partner-commentary/test"
import { expect, test } from "vitest"
import { Newsroom } from "./Newsroom.ts"

const url = "https://newsroom.example/commentary"

test("an approved commentary is published, and an unanswered request is missed", async () => {
  await using pc = await TestPartnerCommentary.make()
  const { organization, personas } = await pc.seed({ personas: ["Ada Vance", "Bo Lindqvist"] })
  const [ada] = personas
  const client = pc.client(organization)
  const { secret } = await client.webhooks.create({ url, events: ["creator.approved", "commentary.failed"] })
  const newsroom = new Newsroom({ client, webhook: { url, secret }, now: () => pc.clock.now })
  pc.webhooks.handle(url, newsroom.receive)

  await newsroom.ask("Will the Lakers make the play-offs?")
  await pc.creator(ada).respond("They will, but only just. The defence has finally woken up.")
  await pc.creator(ada).approve("They will, but only just.")
  expect(newsroom.published).toEqual(["Ada Vance: They will, but only just."])

  await pc.clock.advance("48 hours")
  expect(newsroom.missed).toEqual(["Bo Lindqvist (expired)"])
})
// #endregion

test("if the receiver fails, the event is sent again, and its commentary is published once", async () => {
  await using pc = await TestPartnerCommentary.make()
  const { organization, personas } = await pc.seed()
  const client = pc.client(organization)
  const { secret } = await client.webhooks.create({ url, events: ["creator.approved"] })
  const newsroom = new Newsroom({ client, webhook: { url, secret }, now: () => pc.clock.now })
  pc.webhooks.handle(url, newsroom.receive)
  pc.webhooks.answerNext("timeout", 503)

  await newsroom.ask("Will the Lakers make the play-offs?")
  await pc.creator(personas[0]).respond("They will, but only just. The defence has finally woken up.")
  await pc.creator(personas[0]).approve("They will, but only just.")
  expect(newsroom.published).toEqual([])
  await pc.clock.advance("10 minutes")
  expect(newsroom.published).toEqual(["Ada Vance: They will, but only just."])
  expect(pc.webhooks.received.map(({ answer }) => answer)).toEqual(["timeout", 503, 204])
})
