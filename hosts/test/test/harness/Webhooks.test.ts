/**
 * Tests webhooks in the test host: deliveries are verified, responses are scripted, and a partner's own endpoint can
 * receive events.
 */
import { verifyWebhook } from "@partner-commentary/client"
import { TestPartnerCommentary } from "@partner-commentary/test"
import { expect, it } from "vitest"

const content = "Will the Lakers make the play-offs?"
const perspective = "They will, but only just. The defence has finally woken up."
const url = "https://courtside.example/commentary"

const world = async () => {
  const pc = await TestPartnerCommentary.make({ now: "2026-02-01T12:00:00Z" })
  const { organization, personas } = await pc.seed()
  const client = pc.client(organization)
  const { secret } = await client.webhooks.create({ url, events: ["creator.approved", "commentary.failed"] })
  const approved = async () => {
    const { topic_id } = await client.topics.create({ content, persona_ids: [personas[0].id] })
    await pc.creator(personas[0]).respond(perspective)
    await pc.creator(personas[0]).approve()
    return topic_id
  }
  return { pc, client, secret: secret ?? "", approved }
}

it("if a call causes an event, the signed event arrives before the call returns", async () => {
  const { approved, pc, secret } = await world()
  const topic_id = await approved()
  const [arrived, ...others] = pc.webhooks.received
  expect(others).toEqual([])
  expect(arrived).toMatchObject({ url, answer: 200, event: { type: "creator.approved", data: { topic_id } } })
  const { body = "", headers = new Headers() } = arrived ?? {}
  expect(await verifyWebhook(body, headers, secret, { now: pc.clock.now })).toEqual(arrived?.event)
  await pc.dispose()
})

it("a refused delivery attempt is repeated on schedule with the same event id", async () => {
  const { approved, pc } = await world()
  pc.webhooks.answerNext(500, "timeout", { status: 503, retryAfter: "3600", body: "down for the hour" })
  await approved()
  expect(pc.webhooks.received.map(({ answer }) => answer)).toEqual([500])
  await pc.clock.advance("6 seconds")
  expect(pc.webhooks.received.map(({ answer }) => answer)).toEqual([500, "timeout"])
  await pc.clock.advance("2 hours")
  expect(pc.webhooks.received.map(({ answer }) => answer)).toEqual([500, "timeout", 503, 200])
  expect(new Set(pc.webhooks.received.map(({ event }) => event.id)).size).toBe(1)
  const [, , third, last] = pc.webhooks.received
  expect((last?.at.getTime() ?? 0) - (third?.at.getTime() ?? 0)).toBeGreaterThanOrEqual(3_600_000)
  await pc.dispose()
})

it("a partner's own endpoint can verify an event, and can call the service before the endpoint responds", async () => {
  const { approved, client, pc, secret } = await world()
  const published: Array<string> = []
  pc.webhooks.handle(url, async (request) => {
    const event = await verifyWebhook(await request.text(), request.headers, secret, { now: pc.clock.now })
    if (event.type !== "creator.approved") return new Response(null, { status: 204 })
    const { topic_id, commentary } = event.data
    await client.topics.approveCommentary(topic_id, commentary.id)
    published.push(commentary.content)
    return new Response(null, { status: 204 })
  })
  const topic_id = await approved()
  expect(pc.webhooks.received).toMatchObject([{ answer: 204 }])
  expect(published).toEqual([expect.stringContaining(perspective)])
  const { commentaries } = await client.topics.commentaries(topic_id)
  expect(commentaries[0]?.partner_approved_at).toBe("2026-02-01T12:00:00.000Z")
  expect(pc.webhooks.received.map(({ answer }) => answer)).toEqual([204])
  await pc.dispose()
})

it("if an endpoint throws an error, the response is 500, the error is recorded, and the event is sent again", async () => {
  const { approved, pc } = await world()
  let asked = 0
  pc.webhooks.handle(url, () => {
    asked++
    if (asked === 1) throw new Error("a fault in the partner's endpoint")
    return new Response("ok")
  })
  await approved()
  expect(pc.webhooks.received).toMatchObject([{ answer: 500, error: { message: "a fault in the partner's endpoint" } }])
  await pc.clock.advance("10 seconds")
  expect(pc.webhooks.received.map(({ answer }) => answer)).toEqual([500, 200])
  await pc.dispose()
})

it("a receiver that moves the clock gets an error", async () => {
  const { approved, pc } = await world()
  const refusals: Array<unknown> = []
  pc.webhooks.handle(url, async () => {
    await pc.clock.advance("1 hour").catch((error: unknown) => refusals.push(error))
    return new Response("ok")
  })
  await approved()
  expect(refusals).toEqual([expect.objectContaining({ message: expect.stringContaining("cannot move the clock") })])
  await pc.dispose()
})

it("a call that requests a recovery returns after the failed deliveries were sent again", async () => {
  const { approved, client, pc } = await world()
  let isUp = false
  pc.webhooks.handle(url, () => new Response(null, { status: isUp ? 200 : 500 }))
  await approved()
  await pc.clock.advance("5 days")
  const [hook] = await client.webhooks.list()
  const { data } = await client.webhooks.deliveries(hook?.id ?? "")
  expect(data[0]).toMatchObject({ status: "failed", attempt_count: 10 })
  isUp = true
  await client.webhooks.recover(hook?.id ?? "", { since: "2026-02-01T00:00:00.000Z" })
  expect(pc.webhooks.received.at(-1)).toMatchObject({ answer: 200 })
  await pc.dispose()
})
