/** Tests the use cases with plain function calls and objects, without Effect and HTTP. */
import { expect, it, onTestFinished } from "vitest"
import { PartnerCommentaryError, partnerCommentary } from "../src/PartnerCommentary.ts"
import { sqlite } from "../src/sqlite/Sqlite.ts"

const unknown = "0190a6f0-7c1e-7000-8000-000000000000"

interface Mail {
  readonly subject: string
  readonly text: string
}

/** Opens a service whose mail function collects the mails. */
const opened = () => {
  const mails: Array<Mail> = []
  const waiting: Array<() => void> = []
  const pc = partnerCommentary({
    url: "https://app.example/commentary",
    secret: "32 characters or more, kept elsewhere",
    database: sqlite(":memory:"),
    mail: (message) => {
      mails.push(message)
      for (const wake of waiting.splice(0)) wake()
    },
    generator: async ({ perspective }) => `As I see it: ${perspective}`
  })
  onTestFinished(pc.stop)
  const mail = async (subject: RegExp): Promise<Mail> => {
    const found = mails.find((each) => subject.test(each.subject))
    if (found !== undefined) return found
    await new Promise<void>((resolve) => waiting.push(resolve))
    return mail(subject)
  }
  return { pc, mail }
}

type Service = ReturnType<typeof opened>["pc"]

const seeded = async (pc: Service) => {
  const { id: organization_id } = await pc.organizations.create({
    name: "Courtside",
    contact_email: "desk@host.example"
  })
  const { id: persona_id } = await pc.personas.create({ name: "Ada Vance", creator: { email: "ada@host.example" } })
  await pc.licenses.grant({ organization_id, persona_id })
  return { organization_id, persona_id }
}

const act = (pc: Service, { text }: Mail, action: string, body: object) => {
  const link = /https:\/\/app\.example\/commentary\/creator\/\S+/.exec(text)?.[0]
  const headers = { "content-type": "application/json", accept: "application/json" }
  return pc.fetch(new Request(`${link}/${action}`, { method: "POST", headers, body: JSON.stringify(body) }))
}

const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => Promise.reject(new Error("it did not fail")),
    (error: unknown) => {
      expect(error).toBeInstanceOf(PartnerCommentaryError)
      const { code, details, message } = error as PartnerCommentaryError
      return { code, details, message }
    }
  )

const collected = async <A>(all: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const each of all) found.push(each)
  return found
}

it("an application submits a topic, the creator approves, and the application reads commentary, events and usage", async () => {
  const { mail, pc } = opened()
  const { organization_id, persona_id } = await seeded(pc)
  const topic = { content: "Who wins the derby on Sunday?", persona_ids: [persona_id], external_reference: "derby-1" }

  const { personas_sent, topic_id } = await pc.topics.submit({ organization_id, ...topic })
  expect(personas_sent).toBe(1)
  expect((await pc.topics.progress({ organization_id, topic_id })).overall_status).toBe("pending")

  expect((await act(pc, await mail(/asks/), "respond", { perspective: "The home side." })).status).toBe(200)
  expect((await act(pc, await mail(/draft/), "approve", {})).status).toBe(200)

  const { commentaries } = await pc.topics.find({ organization_id, topic_id })
  expect(commentaries.map(({ commentary }) => commentary?.content)).toEqual(["As I see it: The home side."])
  expect(await pc.topics.byReference({ organization_id, external_reference: "derby-1" })).toMatchObject({ topic_id })
  expect(await pc.topics.list({ organization_id })).toMatchObject({
    total: 1,
    next_cursor: null,
    topics: [{ topic_id }]
  })
  expect(await pc.usage.report({ organization_id })).toMatchObject({ usage: { topics_created: 1 } })

  const events = await collected(pc.events.list({ organization_id }))
  expect(events.map(({ type }) => type)).toContain("creator.approved")
  expect(await collected(pc.events.list({ organization_id, environment: "test" }))).toEqual([])
})

it("an API key that the application creates works until the application revokes the key", async () => {
  const { pc } = opened()
  const { organization_id } = await seeded(pc)
  const wanted = { organization_id, name: "backend", scopes: ["personas:read"] as const }
  const { full_key, id: api_key_id } = await pc.apiKeys.create(wanted)
  const status = () =>
    pc
      .fetch(new Request("https://app.example/commentary/partner/v1/personas", { headers: { "x-api-key": full_key } }))
      .then((response) => response.status)
  expect(await status()).toBe(200)
  expect(await pc.apiKeys.list({ organization_id })).toMatchObject([{ id: api_key_id, name: "backend" }])
  await pc.apiKeys.revoke({ organization_id, api_key_id })
  expect(await status()).toBe(401)
})

it("an API key can be renamed, limited to addresses and rotated, but not by another organization", async () => {
  const { pc } = opened()
  const { organization_id } = await seeded(pc)
  const { id: api_key_id, full_key } = await pc.apiKeys.create({
    organization_id,
    name: "old",
    scopes: ["topics:read"]
  })
  const wanted = { name: "new", ip_whitelist: ["203.0.113.0/24"] }
  expect(await pc.apiKeys.update({ organization_id, api_key_id, ...wanted })).toMatchObject({
    id: api_key_id,
    ...wanted
  })
  expect(await pc.apiKeys.list({ organization_id })).toMatchObject([wanted])
  const wrong = pc.apiKeys.update({ organization_id, api_key_id, scopes: ["usage:read"] } as never)
  expect((await rejection(wrong)).details).toMatchObject({ field: "scopes" })

  const rotated = await pc.apiKeys.rotate({ organization_id, api_key_id, grace_period_seconds: 60 })
  expect(rotated).toMatchObject({ ...wanted, scopes: ["topics:read"], replaces: { id: api_key_id } })
  expect(rotated.full_key).not.toBe(full_key)
  const again = await rejection(pc.apiKeys.rotate({ organization_id, api_key_id }))
  expect(again.details).toMatchObject({ field: "api_key_id" })

  const { id: other } = await pc.organizations.create({ name: "Baseline" })
  for (const change of [pc.apiKeys.update, pc.apiKeys.rotate]) {
    const refused = await rejection(change({ organization_id: other, api_key_id: rotated.id }))
    expect(refused.code).toBe("not_found")
  }
})

it("a suspended organization's keys are rejected until the organization is resumed", async () => {
  const { pc } = opened()
  const { organization_id } = await seeded(pc)
  expect((await pc.organizations.suspend({ organization_id })).suspended_at).not.toBeNull()
  expect((await pc.organizations.resume({ organization_id })).suspended_at).toBeNull()
  const changed = await pc.organizations.update({ organization_id, plan: "premium" })
  expect(changed).toMatchObject({ name: "Courtside", plan: "premium", contact_email: "desk@host.example" })
  expect(await pc.organizations.list()).toEqual([changed])
})

it("a persona's profile can be changed in part, and topics need a licence for the persona", async () => {
  const { pc } = opened()
  const { organization_id, persona_id } = await seeded(pc)
  const changed = await pc.personas.update({ persona_id, bio: "Twenty years courtside." })
  expect(changed).toMatchObject({ name: "Ada Vance", bio: "Twenty years courtside." })
  expect(await pc.personas.list()).toEqual([changed])
  expect(await pc.licenses.list({ organization_id })).toMatchObject([{ persona_name: "Ada Vance", active: true }])
  expect(await pc.licenses.revoke({ organization_id, persona_id })).toMatchObject({ active: false })
  const topic = { content: "Who wins the derby on Sunday?", persona_ids: [persona_id] }
  expect(await rejection(pc.topics.submit({ organization_id, ...topic }))).toMatchObject({
    code: "no_valid_personas",
    details: [{ persona_id, status: "not_licensed" }]
  })
})

it("when an application cancels a topic, its open request is settled and the creator gets a mail", async () => {
  const { mail, pc } = opened()
  const { organization_id, persona_id } = await seeded(pc)
  const topic = { content: "Who wins the derby on Sunday?", persona_ids: [persona_id] }
  const { topic_id } = await pc.topics.submit({ organization_id, ...topic })
  const request = await mail(/asks/)
  const { overall_status, personas } = await pc.topics.cancel({ organization_id, topic_id })
  expect([overall_status, personas]).toMatchObject(["completed", [{ failure: { reason: "cancelled" } }]])
  expect((await act(pc, request, "respond", { perspective: "The home side." })).status).toBe(400)
  expect((await mail(/no longer/)).text).toContain("has cancelled the topic")
  expect((await rejection(pc.topics.cancel({ organization_id, topic_id: unknown }))).code).toBe("not_found")
})

it("a failed use case rejects with the same error code and details as the HTTP API", async () => {
  const { pc } = opened()
  const { organization_id } = await seeded(pc)
  const short = await rejection(pc.topics.submit({ organization_id, content: "Who?", persona_ids: ["ada"] }))
  expect(short.code).toBe("invalid_request")
  expect(short.details).toMatchObject({
    field: "content",
    errors: [{ field: "content" }, { field: "persona_ids[0]", constraint: "must be a UUID" }]
  })
  const id = { organization_id, topic_id: unknown }
  expect((await rejection(pc.topics.find(id))).code).toBe("not_found")
  expect((await rejection(pc.topics.find({ ...id, organization_id: "us" }))).details).toMatchObject({
    field: "organization_id",
    constraint: "must be a UUID"
  })
  const nobody = { organization_id: unknown }
  for (const read of [
    pc.usage.report(nobody),
    pc.licenses.list(nobody),
    pc.topics.list(nobody),
    pc.apiKeys.list(nobody),
    pc.webhooks.list(nobody),
    collected(pc.events.list(nobody))
  ]) {
    expect(await rejection(read)).toMatchObject({ code: "not_found", message: "There is no such organization." })
  }
  expect((await rejection(pc.organizations.create({ name: "" }))).message).toBe(
    "Invalid request: name must be 1 to 200 characters on one line."
  )
  const limits = { requests_per_hour: 1_000_000_001, burst_per_minute: 1_000_000_000 }
  for (const change of [
    pc.organizations.create({ name: "Baseline", limits }),
    pc.organizations.update({ organization_id, limits })
  ]) {
    expect((await rejection(change)).details).toMatchObject({ field: "limits.requests_per_hour" })
  }
  const keys = pc.apiKeys.create({ organization_id, name: "old", scopes: [], expires_at: "2020-01-01T00:00:00Z" })
  expect((await rejection(keys)).details).toMatchObject({ errors: [{ field: "scopes" }, { field: "expires_at" }] })
  expect((await rejection(pc.topics.submit({ organization_id, content: 1n } as never))).code).toBe("invalid_request")
  const events = pc.events.list({ organization_id, type: "unheard.of" as never })
  expect((await rejection(collected(events))).details).toMatchObject({ field: "type" })
})

it("an application can filter and order topics in the same ways as partners through the API", async () => {
  const { pc } = opened()
  const { organization_id, persona_id } = await seeded(pc)
  const submit = (content: string, external_reference: string) =>
    pc.topics.submit({ organization_id, content, persona_ids: [persona_id], external_reference })
  const { topic_id: first } = await submit("Who wins the derby on Sunday?", "derby-1")
  const { topic_id: second } = await submit("Who wins the cup in the autumn?", "cup-1")
  const ids = async (filter: Omit<Parameters<typeof pc.topics.list>[0], "organization_id">) =>
    (await pc.topics.list({ organization_id, ...filter })).topics.map(({ topic_id }) => topic_id)
  expect(await ids({ order: "asc" })).toEqual([first, second])
  expect(await ids({ status: ["pending", "completed"], limit: 1 })).toEqual([second])
  expect(await ids({ status: "completed" })).toEqual([])
  expect(await ids({ external_reference: "derby-1" })).toEqual([first])
  expect(await ids({ created_after: new Date(0), created_before: "2020-01-01T00:00:00Z" })).toEqual([])
  expect(await ids({ updated_after: new Date(0), order: "asc" })).toEqual([first, second])
  const both = pc.topics.list({ organization_id, status: "pending", updated_after: new Date(0) })
  expect((await rejection(both)).details).toMatchObject({ field: "updated_after" })
  expect((await rejection(ids({ created_after: new Date(Number.NaN) }))).details).toMatchObject({
    field: "created_after"
  })
})

it("an application reads events in the order in which they were stored, and can continue after the last event", async () => {
  const { pc } = opened()
  const { organization_id, persona_id } = await seeded(pc)
  await pc.personas.update({ persona_id, creator: { email: "erased@creators.example" } })
  for (const content of ["Who wins the derby on Sunday?", "Who wins the cup in the autumn?"]) {
    await pc.topics.submit({ organization_id, content, persona_ids: [persona_id] })
  }
  await pc.creators.erase({ email: "erased@creators.example" })
  const idsOf = async (filter: Omit<Parameters<typeof pc.events.list>[0], "organization_id">) =>
    (await collected(pc.events.list({ organization_id, ...filter }))).map(({ id }) => id)
  const newestFirst = await idsOf({})
  expect(newestFirst.length).toBeGreaterThan(1)
  const [newest] = await collected(pc.events.list({ organization_id }))
  expect(await idsOf({ since: newest?.timestamp })).toContain(newestFirst[0])
  expect(await idsOf({ since: newest?.timestamp.replace("Z", "001Z") })).toEqual([])
  const all = await idsOf({ order: "asc" })
  expect(all.toSorted()).toEqual(newestFirst.toSorted())
  expect(await idsOf({ after: all[0] })).toEqual(all.slice(1))
  expect(await idsOf({ after: all.at(-1) })).toEqual([])
  expect((await rejection(idsOf({ after: "4711" }))).details).toMatchObject({ field: "after" })
  expect((await rejection(idsOf({ after: all[0], order: "desc" }))).details).toMatchObject({ field: "order" })
})

it("if the service cannot start, a use case rejects with the error of the failed start", async () => {
  const pc = partnerCommentary({
    url: "https://app.example",
    secret: "32 characters or more, kept elsewhere",
    database: sqlite("/dev/null/commentary.db"),
    mail: () => {},
    generator: () => "A commentary."
  })
  expect((await rejection(pc.organizations.list())).code).toBe("start_failed")
})

it("a creator's address can be changed for open requests, and a creator can be erased", async () => {
  const { mail, pc } = opened()
  const { organization_id, persona_id } = await seeded(pc)
  const topic = { content: "Who wins the derby on Sunday?", persona_ids: [persona_id] }
  const { results } = await pc.topics.submit({ organization_id, ...topic })
  await mail(/asks/)
  const change = { from: "ada@host.example", to: "ada@new.example" }
  expect(await pc.creators.changeEmail(change)).toEqual({ personas: 1, assignments: 1 })
  expect(await pc.creators.resendMail({ share_id: results[0]?.share_id ?? "" })).toEqual({ mail: "request" })
  expect(await pc.creators.erase({ email: "ada@new.example" })).toEqual({ personas: 1, assignments: 1 })
  expect((await rejection(pc.creators.resendMail({ share_id: unknown }))).code).toBe("not_found")
})

it("a service without workers runs due work on a schedule, and deletes expired data", async () => {
  const mails: Array<unknown> = []
  const pc = partnerCommentary({
    url: "https://app.example/commentary",
    secret: "32 characters or more, kept elsewhere",
    database: sqlite(":memory:"),
    mail: (message) => mails.push(message),
    generator: () => "A commentary.",
    workers: false
  })
  onTestFinished(pc.stop)
  const { organization_id, persona_id } = await seeded(pc)
  await pc.topics.submit({ organization_id, content: "Who wins the derby on Sunday?", persona_ids: [persona_id] })
  expect(mails).toEqual([])
  expect(await pc.operations.drain()).toMatchObject({ failed: 0, more_due: false })
  expect(mails).toHaveLength(1)
  expect(await pc.operations.purge({ dry_run: true })).toMatchObject({ mails: 0, events: 0, dry_run: true })
})

it("an application registers, changes, lists and deletes a webhook of a partner, and the partner sees the same webhook", async () => {
  const { pc } = opened()
  const { organization_id } = await seeded(pc)
  const wanted = { url: "https://hooks.example.com/in", events: ["creator.approved"] as const }
  const { id: webhook_id, secret, ...created } = await pc.webhooks.create({ organization_id, ...wanted })
  expect(created).toMatchObject({ ...wanted, status: "active" })
  expect(secret).toMatch(/^whsec_/)
  const { full_key } = await pc.apiKeys.create({ organization_id, name: "k", scopes: ["webhooks:read"] })
  const asked = new Request("https://app.example/commentary/partner/v1/webhooks", {
    headers: { "x-api-key": full_key }
  })
  expect(await (await pc.fetch(asked)).json()).toMatchObject({ data: [{ id: webhook_id, url: wanted.url }] })
  const changed = await pc.webhooks.update({ organization_id, webhook_id, events: ["commentary.failed"] })
  expect(changed).toMatchObject({ url: wanted.url, events: ["commentary.failed"] })
  expect(await pc.webhooks.list({ organization_id })).toEqual([changed])
  expect(await pc.webhooks.list({ organization_id, environment: "test" })).toEqual([])
  expect(await pc.webhooks.find({ organization_id, webhook_id })).toEqual(changed)
  expect(await pc.webhooks.test({ organization_id, webhook_id })).toMatchObject({ success: false })
  expect(await pc.webhooks.delete({ organization_id, webhook_id })).toEqual({ id: webhook_id, deleted: true })
  expect((await rejection(pc.webhooks.find({ organization_id, webhook_id }))).code).toBe("not_found")
  const local = { organization_id, ...wanted, url: "http://127.0.0.1/in" }
  expect((await rejection(pc.webhooks.create(local))).details).toMatchObject({ field: "url" })
  const unheard = { ...local, events: ["no.such"] as never }
  expect((await rejection(pc.webhooks.create(unheard))).details).toMatchObject({ field: "events[0]" })
})

it("the doctor's report contains the call that resends a failed mail, and pc.operations.retry() restarts failed work", async () => {
  const mails: Array<unknown> = []
  let isDown = true
  const refused = Object.assign(new Error("no such mailbox"), { permanent: true })
  const pc = partnerCommentary({
    url: "https://app.example/commentary",
    secret: "32 characters or more, kept elsewhere",
    database: sqlite(":memory:"),
    mail: (message) => {
      if (isDown) throw refused
      mails.push(message)
    },
    generator: () => "A commentary.",
    workers: false
  })
  onTestFinished(pc.stop)
  const { organization_id, persona_id } = await seeded(pc)
  expect(await pc.operations.doctor()).toMatchObject({ ok: true })
  await pc.topics.submit({ organization_id, content: "Who wins the derby on Sunday?", persona_ids: [persona_id] })
  await pc.operations.drain()
  const { findings, ok } = await pc.operations.doctor()
  expect(ok).toBe(false)
  expect(findings.find(({ check }) => check === "mails")?.message).toMatch(
    /no such mailbox.*pc\.creators\.resendMail\(\{ share_id: "[\da-f-]{36}" \}\)\.$/
  )
  isDown = false
  expect(await pc.operations.retry()).toMatchObject({ mails: expect.any(Number), drafts: 0, media: 0 })
  await pc.operations.drain()
  expect(mails.length).toBeGreaterThan(0)
  expect(await pc.operations.doctor()).toMatchObject({ ok: true })
})
