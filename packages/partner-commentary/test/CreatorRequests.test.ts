/** Tests the functions with which an application shows requests to creators in its own pages. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, it, onTestFinished } from "vitest"
import { PartnerCommentaryError, partnerCommentary } from "../src/PartnerCommentary.ts"
import { sqlite } from "../src/sqlite/Sqlite.ts"

const email = "ada@creators.example"
const perspective = "The home side, but only just."

const opened = async () => {
  const folder = mkdtempSync(join(tmpdir(), "partner-commentary-"))
  const database = new DatabaseSync(join(folder, "app.db"))
  const pc = partnerCommentary({
    url: "https://app.example/commentary",
    secret: "32 characters or more, kept elsewhere",
    database: sqlite(database),
    mail: () => {},
    generator: ({ perspective }) => `As I see it: ${perspective}`
  })
  onTestFinished(async () => {
    await pc.stop()
    database.close()
    rmSync(folder, { recursive: true })
  })
  const { id: organization_id } = await pc.organizations.create({ name: "Courtside" })
  const { id: persona_id } = await pc.personas.create({ name: "Ada Vance", creator: { email } })
  await pc.licenses.grant({ organization_id, persona_id })
  const submit = async (content = "Who wins the derby on Sunday?") => {
    const { results, topic_id } = await pc.topics.submit({ organization_id, content, persona_ids: [persona_id] })
    return { topic_id, share_id: results[0]?.share_id ?? "" }
  }
  const drafted = async (share_id: string) => {
    const found = () => pc.creators.findRequest({ email, share_id })
    await expect.poll(async () => (await found()).draft?.number).toBeGreaterThan(0)
    return (await found()).draft
  }
  return { database, drafted, organization_id, pc, submit }
}

const rejection = (promise: Promise<unknown>): Promise<PartnerCommentaryError> =>
  promise.then(
    () => Promise.reject(new Error("it did not fail")),
    (error) => (error instanceof PartnerCommentaryError ? error : Promise.reject(error))
  )

it("a creator answers and approves an edited draft in the application's own pages, and the partner accepts the text", async () => {
  const { drafted, organization_id, pc, submit } = await opened()
  const { share_id, topic_id } = await submit()

  const { further, requests } = await pc.creators.openRequests({ email: "ADA@creators.example" })
  expect([further, requests.map((each) => [each.share_id, each.status, each.topic.content])]).toEqual([
    0,
    [[share_id, "topic_sent", "Who wins the derby on Sunday?"]]
  ])
  expect(requests[0]?.link).toMatch(/^https:\/\/app\.example\/commentary\/creator\//)

  expect((await pc.creators.respond({ email, share_id, perspective })).status).toBe("opinion_injected")
  const draft = await drafted(share_id)
  expect(draft?.content).toBe(`As I see it: ${perspective}`)
  const approved = await pc.creators.approve({ email, share_id, draft_id: draft?.id, content: "In my own words." })
  expect([approved.status, approved.commentary?.content]).toEqual(["creator_approved", "In my own words."])

  const { commentaries } = await pc.topics.find({ organization_id, topic_id })
  expect(commentaries.map(({ commentary }) => commentary?.content)).toEqual(["In my own words."])
  const commentary_id = commentaries[0]?.commentary?.id ?? ""
  const accepted = await pc.topics.approve({ organization_id, topic_id, commentary_id })
  expect([accepted.share_id, accepted.content]).toEqual([share_id, "In my own words."])
  expect(await pc.topics.approve({ organization_id, topic_id, commentary_id })).toEqual(accepted)
  const events: Array<string> = []
  for await (const { type } of pc.events.list({ organization_id })) events.push(type)
  expect(events.filter((type) => type === "partner.approved")).toHaveLength(1)
  const { id: other } = await pc.organizations.create({ name: "Another" })
  const foreign = { organization_id: other, topic_id, commentary_id }
  expect((await rejection(pc.topics.approve(foreign))).code).toBe("not_found")

  expect((await pc.creators.openRequests({ email })).requests).toEqual([])
  expect((await pc.creators.findRequest({ email, share_id })).commentary?.content).toBe("In my own words.")
})

it("after a creator has requested another draft, an approval of the first draft is rejected", async () => {
  const { drafted, pc, submit } = await opened()
  const { share_id } = await submit()
  await pc.creators.respond({ email, share_id, perspective })
  const first = await drafted(share_id)
  await pc.creators.revise({ email, share_id, draft_id: first?.id, instructions: "Shorter, please." })
  await expect
    .poll(async () => (await pc.creators.findRequest({ email, share_id })).draft?.number, { timeout: 5000 })
    .toBe(2)
  const stale = await rejection(pc.creators.approve({ email, share_id, draft_id: first?.id }))
  expect([stale.code, stale.message]).toEqual([
    "invalid_request",
    expect.stringContaining("draft_id names an older draft")
  ])
  expect((await pc.creators.withdraw({ email, share_id, reason: "Not for me." })).failure?.reason).toBe("withdrawn")
})

it("after a creator has declined, an answer is rejected with an error that contains the current status", async () => {
  const { pc, submit } = await opened()
  const { share_id } = await submit()
  expect((await pc.creators.decline({ email, share_id })).status).toBe("declined")
  const late = await rejection(pc.creators.respond({ email, share_id, perspective }))
  expect([late.code, late.message]).toEqual([
    "invalid_request",
    expect.stringContaining("the present status is declined")
  ])
})

it("a creator cannot find the request of another creator", async () => {
  const { pc, submit } = await opened()
  const { share_id } = await submit()
  const other = { email: "bo@creators.example", share_id }
  const calls = [
    pc.creators.findRequest(other),
    pc.creators.respond({ ...other, perspective }),
    pc.creators.decline(other),
    pc.creators.approve(other),
    pc.creators.revise(other),
    pc.creators.withdraw(other)
  ]
  for (const call of calls) expect((await rejection(call)).code).toBe("not_found")
  expect(await pc.creators.openRequests({ email: other.email })).toEqual({ requests: [], further: 0 })
  expect((await pc.creators.findRequest({ email, share_id })).status).toBe("topic_sent")
})

it("a text that is too short, an unknown field and an invalid id are rejected, and each error contains the field's name", async () => {
  const { pc, submit } = await opened()
  const { share_id } = await submit()
  const messages = async (call: Promise<unknown>) => (await rejection(call)).message
  expect(await messages(pc.creators.respond({ email, share_id, perspective: "Yes." }))).toContain(
    "perspective must have"
  )
  expect(await messages(pc.creators.approve({ email, share_id, contents: "Mine." } as never))).toBe(
    "Invalid request: contents is no field of this action."
  )
  expect(await messages(pc.creators.approve({ email, share_id, draft_id: "first" }))).toContain(
    "draft_id must be a UUID"
  )
  expect(await messages(pc.creators.findRequest({ email, share_id: "first" }))).toContain("share_id must be a UUID")
})

it("a rollback of the application's transaction undoes a creator's answer", async () => {
  const { database, pc, submit } = await opened()
  const { share_id } = await submit()
  database.exec("BEGIN IMMEDIATE")
  await pc.creators.decline({ email, share_id }, { db: database })
  database.exec("ROLLBACK")
  expect((await pc.creators.findRequest({ email, share_id })).status).toBe("topic_sent")
  database.exec("BEGIN IMMEDIATE")
  await pc.creators.decline({ email, share_id }, { db: database })
  database.exec("COMMIT")
  expect((await pc.creators.findRequest({ email, share_id })).status).toBe("declined")
})

it("the audit log records whether the creator answered through the application or through the link in a mail", async () => {
  const { database, drafted, pc, submit } = await opened()
  const [own, linked] = [await submit(), await submit("Who wins the cup?")]
  await pc.creators.respond({ email, share_id: own.share_id, perspective })
  await drafted(own.share_id)
  await pc.creators.approve({ email, share_id: own.share_id })
  const { requests } = await pc.creators.openRequests({ email })
  const { link = "" } = requests.find(({ share_id }) => share_id === linked.share_id) ?? {}
  const declining = new Request(`${link}/decline`, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: "{}"
  })
  expect((await pc.fetch(declining)).status).toBe(200)
  const actors = database
    .prepare("SELECT details->>'by' AS actor FROM audit_log WHERE action LIKE 'creator.%' ORDER BY rowid")
    .all()
    .map(({ actor }) => actor)
  expect(actors).toEqual(["application", "application", expect.stringMatching(/^link of [0-9a-f]{16}$/)])
})
