/**
 * Runs the whole workflow of the demo. A partner uses the official client and a webhook. Creators use the links from
 * their mails. Each step waits for the previous step's result. If a step times out, the demo fails with the name of the
 * missing result.
 */
import { PartnerCommentary, type ReferenceLookup, type WebhookEvent } from "@partner-commentary/client"
import type { OutboxMail } from "@partner-commentary/smtp/Outbox"
import * as Creator from "./Creator.ts"
import type { CreatedDemoOrganization } from "./DemoOrganization.ts"
import * as Receiver from "./Receiver.ts"

export interface DemoWorkflowOptions {
  readonly apiRoot: string
  readonly demo: CreatedDemoOrganization
  /** Lists all mails that were sent so far, newest first. */
  readonly mails: () => Promise<ReadonlyArray<OutboxMail>>
  /** Prints a line that describes a step of the workflow. */
  readonly tell: (line: string) => void
}

/** The result of the demo's workflow. */
export interface DemoWorkflowResult {
  readonly fetched: ReferenceLookup
  readonly events: ReadonlyArray<WebhookEvent>
}

const reference = "derby-1"
const content = "Who wins the derby on Sunday, and why?"
const views = [
  "The home side. Their press has been the best in the league since the autumn.",
  "A draw. Neither of them has a keeper whom I would trust with a lead."
]
const reason = "I am away on Sunday."

export const runDemoWorkflow = async (stage: DemoWorkflowOptions): Promise<DemoWorkflowResult> => {
  const receiver = await Receiver.startWebhookReceiver((event) =>
    stage.tell(`The webhook receives ${summary(event)}, and its signature is right`)
  )
  try {
    return await runSteps(stage, receiver)
  } finally {
    await receiver.close()
  }
}

const runSteps = async (
  stage: DemoWorkflowOptions,
  receiver: Receiver.WebhookReceiver
): Promise<DemoWorkflowResult> => {
  const { apiRoot, demo, tell } = stage
  const partner = new PartnerCommentary({ apiKey: demo.apiKey, baseUrl: `${apiRoot}/partner/v1` })
  const { secret } = await partner.webhooks.create({
    url: receiver.url,
    events: ["creator.approved", "partner.approved", "commentary.failed"]
  })
  receiver.expect(secret)
  tell(`${demo.organization.name} registers a webhook at ${receiver.url}`)

  const { results, topic_id } = await partner.topics.create({
    content,
    persona_ids: demo.personas.map(({ id }) => id),
    external_reference: reference,
    metadata: { desk: "sports" }
  })
  if (results.some(({ status }) => status !== "sent")) throw new Error("Not every persona was sent the topic.")
  tell(`${demo.organization.name} submits “${content}” to ${demo.personas.map(({ name }) => name).join(", ")}`)

  await actAsCreators(stage)
  await pollUntil("three events at the webhook", () => receiver.received.length >= 3)

  const [first] = (await partner.topics.commentaries(topic_id)).commentaries
  if (first === undefined) throw new Error("No commentary can be fetched.")
  await partner.topics.approveCommentary(topic_id, first.commentary_id)
  tell(`${demo.organization.name} accepts ${first.persona.name}'s commentary for publication`)
  await pollUntil("the partner's own approval at the webhook", () => receiver.received.length >= 4)
  checkReceivedEvents(receiver)

  const fetched = await partner.topics.byReference(reference)
  const { completed, failed, pending } = fetched.summary
  if (completed !== 2 || failed !== 1 || pending !== 0)
    throw new Error("The topic did not end as its creators answered.")
  return { fetched, events: receiver.received }
}

/** Two creators answer and approve their drafts, and one of the two edits the draft. The third creator declines. */
const actAsCreators = async ({ demo, mails, tell }: DemoWorkflowOptions) => {
  const requests = await pollUntil("a mail to each creator", async () => {
    const all = (await mails()).filter(({ text }) => Creator.findCreatorLink(text) !== undefined)
    return all.length >= demo.personas.length && all
  })
  for (const { subject, to } of requests) tell(`Mail to ${to}: ${subject}`)
  const [edits, approves, declines] = requests
    .flatMap(({ text }) => Creator.findCreatorLink(text) ?? [])
    .map(Creator.makeSimulatedCreator)
  if (edits === undefined || approves === undefined || declines === undefined) throw new Error("A mail is missing.")

  tell(`${(await declines.act("decline", { reason })).persona.name} declines: “${reason}”`)
  for (const [index, creator] of [approves, edits].entries()) {
    const perspective = views[index] ?? ""
    tell(`${(await creator.act("respond", { perspective })).persona.name} responds: “${perspective}”`)
    const { draft, persona } = await pollUntil("a draft", async () => {
      const desk = await creator.look()
      return desk.draft !== null && { ...desk, draft: desk.draft }
    })
    tell(`The local generator writes a draft for ${persona.name}`)
    const edited = creator === edits ? { content: `${draft.content}\n\nAsk me again on Monday.` } : {}
    await creator.act("approve", { draft_id: draft.id, ...edited })
    tell(`${persona.name} approves it${creator === edits ? ", with a sentence added" : ""}`)
  }
}

/** Checks that every event arrived once and had a valid signature. */
const checkReceivedEvents = ({ received, refused }: Receiver.WebhookReceiver) => {
  if (refused.length > 0) throw new Error(`The webhook did not believe an event: ${refused[0]}`)
  const types = received.map(({ type }) => type).toSorted()
  const expected = ["commentary.failed", "creator.approved", "creator.approved", "partner.approved"]
  if (types.join() !== expected.join()) throw new Error(`The webhook received ${types.join(", ")}.`)
}

const summary = (event: WebhookEvent): string =>
  event.type === "webhook.test" || event.type === "topic.completed"
    ? event.type
    : `${event.type} about ${event.data.persona.name}${event.type === "commentary.failed" ? ` (${event.data.reason})` : ""}`

const timeoutMs = 30_000

/** Repeats `look` until `look` returns a value. */
const pollUntil = async <A>(what: string, look: () => A | Promise<A>): Promise<Exclude<A, false>> => {
  const end = performance.now() + timeoutMs
  for (;;) {
    const found = await look()
    if (found !== false) return found as Exclude<A, false>
    if (performance.now() > end) throw new Error(`After ${timeoutMs / 1000} seconds there was not ${what}.`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
