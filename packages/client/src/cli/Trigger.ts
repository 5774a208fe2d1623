/** Defines the command `trigger`, which runs a topic in the test environment until the requested event happens. */
import type { PartnerCommentary } from "../PartnerCommentary.ts"
import { pause } from "../Pause.ts"
import type { SimulatedAction } from "../TestAssignment.ts"
import type { FailureReason } from "../Topic.ts"
import type { SubscribableEvent } from "../Webhook.ts"
import type { PastEvent } from "../WebhookEvent.ts"
import { commonFlags, makeClientFromArguments } from "./Access.ts"
import type { FlagDefinitions, ParsedArguments } from "./Arguments.ts"
import { type CommandContext, CommandFailed, UsageError } from "./Terminal.ts"

/**
 * The fixed id of the test persona Wren Waits, whose simulated creator takes a step only when the client calls
 * `advance`.
 */
const waits = "7e570000-0000-4000-8000-000000000005"

interface Scenario {
  readonly steps: ReadonlyArray<SimulatedAction>
  /** If true, the command accepts the commentary for publication after the simulated creator's steps. */
  readonly accept?: boolean
  /** If true, the command cancels the topic after the simulated creator's steps. */
  readonly cancel?: boolean
}

const failures: Readonly<Record<FailureReason, Scenario>> = {
  declined: { steps: ["decline"] },
  expired: { steps: ["expire"] },
  generation_failed: { steps: ["respond", "fail"] },
  approval_timeout: { steps: ["respond", "generate", "expire"] },
  withdrawn: { steps: ["respond", "generate", "withdraw"] },
  cancelled: { steps: [], cancel: true }
}

const approval = ["respond", "generate", "approve"] as const

/**
 * Maps each event type to the scenario that produces the event. `media.ready` has no scenario, because the test
 * environment produces no audio or video.
 */
const scenarios: Readonly<Record<SubscribableEvent, Scenario | null>> = {
  "creator.approved": { steps: approval },
  "partner.approved": { steps: approval, accept: true },
  "commentary.failed": failures.declined,
  "media.ready": null,
  "topic.completed": { steps: approval }
}

export const allEventTypes = Object.keys(scenarios) as ReadonlyArray<SubscribableEvent>
export const triggerableEventTypes = allEventTypes.filter((type) => scenarios[type] !== null)

export const triggerCommandFlags = {
  reason: { value: "REASON", description: `Of commentary.failed: ${Object.keys(failures).join(", ")}` },
  ...commonFlags
} satisfies FlagDefinitions

const isKey = <Key extends string>(record: Readonly<Record<Key, unknown>>, key: string): key is Key =>
  Object.hasOwn(record, key)

const scenarioOf = (type: string, reason: string | undefined): Scenario => {
  const scenario = isKey(scenarios, type) ? scenarios[type] : null
  if (type === "media.ready") {
    throw new UsageError("media.ready cannot be played: the test environment makes no audio and video.")
  }
  if (scenario === null) {
    throw new UsageError(
      `The event type must be one of ${triggerableEventTypes.join(", ")}, not ${JSON.stringify(type)}.`
    )
  }
  if (reason === undefined) return scenario
  if (type !== "commentary.failed") throw new UsageError("--reason is for commentary.failed only.")
  if (isKey(failures, reason)) return failures[reason]
  throw new UsageError(`--reason must be one of ${Object.keys(failures).join(", ")}, not ${JSON.stringify(reason)}.`)
}

/**
 * Submits a topic and takes the steps of a scenario as the simulated creator. The topic's content is unique, because
 * the same content within a minute would be a duplicate.
 */
const play = async (
  client: PartnerCommentary,
  type: string,
  { accept = false, cancel = false, steps }: Scenario,
  signal: AbortSignal
) => {
  const content = `Played by trigger ${type}: ${crypto.randomUUID()}`
  const { results, topic_id } = await client.topics.create({ content, persona_ids: [waits] }, { signal })
  const share_id = results[0]?.share_id
  if (share_id === undefined) throw new CommandFailed("The service did not send the topic to the test persona.")
  for (const action of steps) await client.test.advance(share_id, { action }, { signal })
  if (cancel) await client.topics.cancel(topic_id, { signal })
  if (accept) {
    const [commentary] = (await client.topics.commentaries(topic_id, { signal })).commentaries
    if (commentary === undefined) throw new CommandFailed(`Topic ${topic_id} has no commentary to accept.`)
    await client.topics.approveCommentary(topic_id, commentary.commentary_id, { signal })
  }
  return { topic_id, share_id }
}

const attempts = 10

/**
 * Polls the list of events until the list contains the topic's event. The event may appear some seconds after the
 * simulated creator's last step.
 */
const eventOf = async (
  client: PartnerCommentary,
  type: SubscribableEvent,
  topicId: string,
  signal: AbortSignal
): Promise<PastEvent> => {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const { data } = await client.events.list({ type, limit: 100 }, { signal })
    const found = data.find((event) => event.data.topic_id === topicId)
    if (found !== undefined) return found
    await pause(1000, signal)
  }
  throw new CommandFailed(`Topic ${topicId} was played, but its event ${type} is not in the list of events.`)
}

export const runTriggerCommand = async (parsed: ParsedArguments, terminal: CommandContext): Promise<void> => {
  const { flags, words } = parsed
  const { out, signal } = terminal
  const [type] = words
  if (type === undefined) throw new UsageError(`The event type is missing: one of ${triggerableEventTypes.join(", ")}.`)
  const scenario = scenarioOf(type, flags.get("reason"))
  const { client, isTest } = makeClientFromArguments(parsed, terminal)
  if (!isTest)
    throw new UsageError("trigger needs a key that begins with pk_test_: a live key has no simulated creators.")
  const { share_id, topic_id } = await play(client, type, scenario, signal)
  const { id: event_id } = await eventOf(client, type as SubscribableEvent, topic_id, signal)
  if (flags.has("print-json")) out(JSON.stringify({ type, event_id, topic_id, share_id }))
  else out(`${type}  ${event_id}  topic ${topic_id}`)
}
