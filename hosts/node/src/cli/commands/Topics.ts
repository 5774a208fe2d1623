/**
 * Defines the command `topic show`, which shows an operator why a topic makes no progress. Of the topic's texts, the
 * command prints only the first line of the question.
 */
import { TopicId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { type Assignment, isAssignmentSettled } from "@partner-commentary/core/topic/Assignment"
import { formatPublicEventId } from "@partner-commentary/core/webhook/Event"
import * as Parser from "@partner-commentary/settings/Parser"
import type { InspectedMail, InspectedMediaJob } from "@partner-commentary/sql/topics/TopicInspection"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Administration from "../Administration.ts"
import { CommandFailed } from "../CommandFailed.ts"
import { printResult } from "../Output.ts"
import * as Parameter from "../Parameter.ts"
import type { TopicDetails, WebhookDelivery } from "../TopicDetails.ts"

/** Accepts an event's id with and without the prefix `evt_`, because partners know the id with the prefix. */
const idParser: Parser.Parser<string> = {
  rule: "an id such as 0190a6f0-7c1e-7000-8000-000000000000, or an event's id such as evt_0190a6f0-7c1e-7001-8000-000000000000",
  parse: (text) => Parser.makeIdParser(TopicId).parse(text.trim().replace(/^evt_/i, ""))
}

const show = Command.make(
  "show",
  {
    id: Parameter.declarePositionalArgument(
      "id",
      idParser,
      "The topic's id, the share_id of an assignment, or the id of an event"
    )
  },
  Effect.fn(function* ({ id }) {
    const { findTopicDetails: find } = yield* Effect.promise(() => import("../TopicDetails.ts"))
    const found = Option.getOrNull(yield* find(id))
    if (found === null) {
      return yield* new CommandFailed({ message: `There is no topic, share_id or event ${id}.` })
    }
    yield* printResult({ json: () => view(found), text: () => text(found) })
  }, Effect.provide(Administration.layer))
).pipe(Command.withDescription("Show a topic's state: each assignment with its mails, attempts, events and deliveries"))

export const topicCommand = Command.make("topic").pipe(
  Command.withDescription("Topics of partners"),
  Command.withSubcommands([show])
)

type Part = TopicDetails["assignments"][number]

const firstLine = (content: string): string => content.split(/\r?\n/, 1)[0] ?? ""

const view = ({ assignments, organization, topic }: TopicDetails) => ({
  topic_id: topic.id,
  organization_id: topic.organizationId,
  organization_name: organization?.name ?? topic.organizationName,
  organization_suspended_at: Instant.toIsoOrNull(organization?.suspendedAt ?? null),
  environment: topic.environment,
  external_reference: topic.externalReference,
  status: topic.status,
  content: firstLine(topic.content),
  output_types: topic.outputTypes,
  webhook_ids: topic.webhookIds,
  created_at: Instant.toIso(topic.createdAt),
  assignments: assignments.map(viewOfPart)
})

const viewOfPart = ({ assignment, events, failedAttempt, mails, mediaJobs }: Part) => ({
  share_id: assignment.id,
  persona: { id: assignment.persona.id, name: assignment.persona.name },
  creator_email: assignment.creator.email === "" ? null : assignment.creator.email,
  status: assignment.status,
  status_updated_at: Instant.toIso(assignment.statusUpdatedAt),
  failure_reason: assignment.failure?.reason ?? null,
  failed_at: Instant.toIsoOrNull(assignment.failure?.at ?? null),
  notified_at: Instant.toIsoOrNull(assignment.notifiedAt),
  respond_by: Instant.toIso(assignment.respondBy),
  approve_by: Instant.toIsoOrNull(assignment.approveBy),
  next_step_at: Instant.toIsoOrNull(assignment.dueAt),
  drafts: {
    number: assignment.draft?.number ?? 0,
    attempts: assignment.generation.attempts,
    under_way: assignment.generation.running,
    next_attempt_at: Instant.toIsoOrNull(assignment.generation.nextAt),
    give_up_at: Instant.toIsoOrNull(assignment.generation.giveUpAt),
    last_failed_at: Instant.toIsoOrNull(failedAttempt?.at ?? null),
    last_reason: failedAttempt?.reason ?? null
  },
  mails: mails.map(({ attempts, dueAt, id, kind, reason, settledAt, state }) => ({
    ...{ id, kind, state, attempts },
    ...{ due_at: Instant.toIsoOrNull(dueAt), settled_at: Instant.toIsoOrNull(settledAt), last_reason: reason }
  })),
  media: mediaJobs.map(({ attempts, dueAt, kind, reason, state }) => ({
    ...{ kind, state, attempts },
    ...{ due_at: Instant.toIsoOrNull(dueAt), last_reason: reason }
  })),
  events: events.map(({ at, deliveries, id, type }) => ({
    id: formatPublicEventId(id),
    type,
    created_at: Instant.toIso(at),
    deliveries: deliveries.map(({ delivery, host }) => ({
      webhook_id: delivery.webhookId,
      host,
      status: delivery.status,
      attempts: delivery.attemptCount,
      next_attempt_at: Instant.toIsoOrNull(delivery.nextAttemptAt),
      settled_at: Instant.toIsoOrNull(delivery.settledAt),
      last_reason: lastReason(delivery)
    }))
  }))
})

const lastReason = ({ attempts }: WebhookDelivery["delivery"]): string | null => attempts.at(-1)?.reason ?? null

type Line = readonly [name: string, value: string | null]

const text = ({ assignments, organization, topic }: TopicDetails): ReadonlyArray<string> => [
  `The topic ${topic.id} is ${topic.status}.`,
  ...alignLines([
    ["organization", `${organization?.name ?? topic.organizationName} ${topic.organizationId}`],
    ["suspended", Instant.toIsoOrNull(organization?.suspendedAt ?? null)],
    ["environment", topic.environment],
    ["reference", topic.externalReference],
    ["created", Instant.toIso(topic.createdAt)],
    ["outputs", topic.outputTypes.join(" ")],
    ["webhooks", topic.webhookIds === null ? null : topic.webhookIds.join(" ") || "none"],
    ["content", firstLine(topic.content)]
  ]),
  ...assignments.flatMap((part) => ["", ...textOfPart(part)])
]

const textOfPart = ({ assignment, events, failedAttempt, mails, mediaJobs }: Part): ReadonlyArray<string> => [
  `${assignment.id} ${assignment.persona.name}: ${assignment.status} since ${Instant.toIso(assignment.statusUpdatedAt)}`,
  ...alignLines([
    ["failed", at(assignment.failure?.reason ?? "", assignment.failure?.at)],
    ["creator", assignment.creator.email],
    ["notified", Instant.toIsoOrNull(assignment.notifiedAt) ?? "not yet"],
    ["respond by", assignment.status === "topic_sent" ? Instant.toIso(assignment.respondBy) : null],
    ["approve by", isAssignmentSettled(assignment) ? null : Instant.toIsoOrNull(assignment.approveBy)],
    ["next step", Instant.toIsoOrNull(assignment.dueAt)],
    ["draft", attemptsAtDraft(assignment, failedAttempt)],
    ...mails.map((mail): Line => [`mail ${mail.kind}`, stateOfMail(mail)]),
    ...mediaJobs.map((job): Line => [job.kind, stateOfMediaJob(job)]),
    ...events.flatMap(
      (event): ReadonlyArray<Line> => [
        [`event ${event.type}`, `${formatPublicEventId(event.id)} at ${Instant.toIso(event.at)}`],
        ...event.deliveries.map((sent): Line => [`to ${sent.host}`, stateOfDelivery(sent)])
      ]
    )
  ])
]

const attemptsAtDraft = ({ draft, generation }: Assignment, failed: Part["failedAttempt"]): string | null =>
  joinTexts(
    draft === null ? null : `number ${draft.number}, of ${Instant.toIso(draft.createdAt)}`,
    generation.attempts === 0 ? null : formatAttemptCount(generation.attempts),
    generation.running ? "one under way" : at("the next one at", generation.nextAt),
    at("finally failed: can be restarted until", generation.giveUpAt),
    failed === null ? null : `the last failure at ${Instant.toIso(failed.at)}: ${failed.reason}`
  )

const stateOfMail = ({ attempts, dueAt, reason, settledAt, state }: InspectedMail): string | null =>
  joinTexts(at(state, settledAt) ?? state, formatAttemptCount(attempts), at("due", dueAt), because(reason))

const stateOfMediaJob = ({ attempts, dueAt, reason, state }: InspectedMediaJob): string | null =>
  joinTexts(state, formatAttemptCount(attempts), at("due", dueAt), because(reason))

const stateOfDelivery = ({ delivery }: WebhookDelivery): string | null =>
  joinTexts(
    at(delivery.status, delivery.settledAt) ?? delivery.status,
    formatAttemptCount(delivery.attemptCount),
    delivery.inFlight ? "one under way" : at("the next one at", delivery.nextAttemptAt),
    `webhook ${delivery.webhookId}`,
    because(lastReason(delivery))
  )

const formatAttemptCount = (attempts: number): string => (attempts === 1 ? "1 attempt" : `${attempts} attempts`)

const at = (word: string, moment: Instant.Instant | null | undefined): string | null =>
  moment === null || moment === undefined ? null : `${word} ${Instant.toIso(moment)}`

const because = (reason: string | null): string | null => (reason === null ? null : `the last reason: ${reason}`)

/** Joins the given texts with commas, and omits null and undefined. Returns null if no text is given. */
const joinTexts = (...parts: ReadonlyArray<string | null | undefined>): string | null => {
  const said = parts.filter((part) => typeof part === "string")
  return said.length === 0 ? null : said.join(", ")
}

/**
 * Formats pairs of a name and a value as lines with aligned values. Names may repeat, and lines without a value are
 * omitted.
 */
const alignLines = (lines: ReadonlyArray<Line>): ReadonlyArray<string> => {
  const shown = lines.filter(([, value]) => value !== null && value !== "")
  const width = Math.max(...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)
}
