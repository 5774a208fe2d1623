/**
 * Tests the error messages about mistakes in a partner's test. Each error message lists the existing values or says how
 * to fix the call.
 */
import { CreatorRefused, TestPartnerCommentary } from "@partner-commentary/test"
import { afterEach, beforeEach, expect, it } from "vitest"

const content = "Will the Lakers make the play-offs?"
const perspective = "They will, but only just. The defence has finally woken up."

let pc: TestPartnerCommentary
beforeEach(async () => {
  pc = await TestPartnerCommentary.make({ now: "2026-02-01T12:00:00Z" })
})
afterEach(() => pc.dispose())

it("if a creator has no mail, the error names the creator's address and lists the existing mails", async () => {
  const { organization, personas } = await pc.seed({ personas: ["Ada Vance", "Bo Lindqvist"] })
  const [ada, bo] = personas
  expect(() => pc.mailbox.latest(ada)).toThrow(
    /Ada Vance’s creator, ada-vance-1@creators\.example\. Mails so far: none/
  )
  await pc.client(organization).topics.create({ content, persona_ids: [ada.id] })
  expect(() => pc.creator(bo)).toThrow(/No mail was sent to Bo Lindqvist’s creator.*asks Ada Vance.*to ada-vance-1@/)
  expect(() => pc.mailbox.latest("nobody@creators.example")).toThrow("No mail was sent to nobody@creators.example.")
})

it("the error about an unknown persona lists the known personas, and an ambiguous name is refused", async () => {
  await pc.seed({ personas: ["Ada Vance", "Bo Lindqvist"] })
  expect(() => pc.creator("Adda Vance")).toThrow(
    "This instance has no persona “Adda Vance”. It has: Ada Vance, Bo Lindqvist. Make personas with seed."
  )
  await pc.seed({ personas: ["Ada Vance"] })
  expect(() => pc.creator("Ada Vance")).toThrow("2 personas are named “Ada Vance”")
})

it("a persona or organization that was seeded in another instance is refused", async () => {
  await using other = await TestPartnerCommentary.make()
  const { organization, personas } = await other.seed()
  await expect(pc.key(organization)).rejects.toThrow("This instance has no organization “Courtside”")
  await expect(pc.license(organization, personas[0])).rejects.toThrow("This instance has no persona “Ada Vance”")
  await expect(pc.client(organization).personas.list()).rejects.toMatchObject({ code: "unauthorized" })
})

it("moving the clock back is refused with an error that contains the current time", async () => {
  await expect(pc.clock.advance(-1)).rejects.toThrow("The clock cannot go back: -1 from 2026-02-01T12:00:00.000Z.")
  await expect(pc.clock.advance("-2 hours" as "2 hours")).rejects.toThrow("cannot go back")
  await expect(pc.clock.advanceTo("2026-02-01T11:59:59Z")).rejects.toThrow(
    "it is 2026-02-01T12:00:00.000Z already, later than 2026-02-01T11:59:59.000Z"
  )
  expect(pc.clock.now.toISOString()).toBe("2026-02-01T12:00:00.000Z")
})

it("an invalid duration or time is refused with an example of a valid value", async () => {
  for (const span of ["soon", "48", Number.NaN, Number.POSITIVE_INFINITY]) {
    await expect(pc.clock.advance(span as number)).rejects.toThrow('is no duration. Say "48 hours"')
  }
  await expect(pc.clock.advanceTo("tomorrow")).rejects.toThrow('"tomorrow" is no moment')
  await expect(TestPartnerCommentary.make({ now: "yesterday" })).rejects.toThrow('now is no moment: "yesterday"')
})

it("an action that the service refuses throws an error with the code and the reason", async () => {
  const { organization, personas } = await pc.seed()
  await pc.client(organization).topics.create({ content, persona_ids: [personas[0].id] })
  const ada = pc.creator("Ada Vance")
  await expect(ada.respond("Yes.")).rejects.toThrow(/could not respond: invalid_request.*perspective/)
  await expect(ada.approve()).rejects.toBeInstanceOf(CreatorRefused)
  await ada.respond(perspective)
  await ada.withdraw("Changed my mind")
  await expect(ada.approve()).rejects.toThrow(/could not approve: invalid_request.*action/)
})

it("acting on a mail without a creator's link throws an error", async () => {
  const { organization } = await pc.seed({ contactEmail: "desk@courtside.example" })
  const webhook = { url: "https://courtside.example/commentary", events: ["creator.approved"] as const }
  await pc.client(organization).webhooks.create(webhook)
  expect(() => pc.creator(pc.mailbox.latest("desk@courtside.example"))).toThrow("has no creator's link")
})

it("if no event of a type has arrived, the error lists the received events", async () => {
  expect(() => pc.webhooks.latest("creator.approved")).toThrow(
    "No event of type creator.approved arrived at a webhook. Arrived so far: none."
  )
})

it("every call on a disposed instance fails with an explanation, and an instance can be disposed of twice", async () => {
  const { organization } = await pc.seed()
  await pc.dispose()
  await pc.dispose()
  const over = "This TestPartnerCommentary was disposed"
  await expect(pc.fetch("/health")).rejects.toThrow(over)
  await expect(pc.seed()).rejects.toThrow(over)
  await expect(pc.clock.advance("1 hour")).rejects.toThrow(over)
  for (const call of [
    () => pc.mailbox.all,
    () => pc.webhooks.received,
    () => pc.clock.now,
    () => pc.client(organization)
  ])
    expect(call).toThrow(over)
})
