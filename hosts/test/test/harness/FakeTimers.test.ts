/**
 * Tests that an instance works with the fake timers of a test runner, because the instance imports its timers from
 * Node.
 */
import { TestPartnerCommentary } from "@partner-commentary/test"
import { afterEach, beforeEach, expect, it, vi } from "vitest"

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2031-05-01T00:00:00Z") })
})
afterEach(() => {
  vi.useRealTimers()
})

it("the whole workflow runs with a test runner's fake timers, and starts at the faked time", async () => {
  await using pc = await TestPartnerCommentary.make()
  const { organization, personas } = await pc.seed()
  const client = pc.client(organization)
  const { created_at, topic_id } = await client.topics.create({
    content: "Will the Lakers make the play-offs?",
    persona_ids: personas.map(({ id }) => id)
  })
  expect(created_at).toBe("2031-05-01T00:00:00.000Z")
  await pc.creator("Ada Vance").respond("They will, but only just. The defence has finally woken up.")
  await pc.creator("Ada Vance").approve()
  await pc.clock.advance("48 hours")
  expect((await client.topics.get(topic_id)).status).toBe("completed")
})
