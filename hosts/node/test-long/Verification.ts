/** Checks a finished kill test: compares the data with the plan, the acknowledged actions and the mails. */

import type { AcknowledgedActionPeriods, AcknowledgementPeriod, ExpectedAssignmentState } from "./Creator.ts"
import type { DatabaseSnapshot } from "./Ledger.ts"
import type { SubmittedTopic } from "./Partner.ts"
import type { AssignmentPlan, TopicPlan } from "./Plan.ts"
import * as Repeats from "./Repeats.ts"
import type { TopicViews } from "./Run.ts"
import type { SmtpServer } from "./SmtpServer.ts"

export interface AssignmentExpectation {
  readonly plan: AssignmentPlan
  readonly topic: TopicPlan
  readonly acknowledged: AcknowledgedActionPeriods
  /** The outcome is null if the simulated creator did not finish all planned actions. */
  outcome: ExpectedAssignmentState | null
}

export interface KillTestRecord {
  readonly seed: number
  readonly failures: ReadonlyArray<string>
  readonly kills: ReadonlyArray<number>
  /** The time at which the kills stopped. */
  readonly killsStoppedAt: number
  readonly seconds: Readonly<Record<string, number>>
  readonly killCountsByMoment: Readonly<Record<string, number>>
  readonly actions: number
  readonly views: ReadonlyArray<readonly [SubmittedTopic, TopicViews]>
  /** The total number of topics that the partner's topic list reports. */
  readonly total: number
  /** Maps share ids to assignments. */
  readonly assigned: ReadonlyMap<string, AssignmentExpectation>
  readonly smtpServer: SmtpServer
  readonly generatorCalls: number
  readonly database: DatabaseSnapshot
}

export interface VerificationReport {
  readonly mistakes: ReadonlyArray<string>
  readonly figures: Readonly<Record<string, unknown>> & {
    readonly kills: number
    readonly mostRepeatsByOneKill: number
  }
}

export const verifyKillTest = (record: KillTestRecord): VerificationReport => {
  const { assigned, database, kills, smtpServer, views } = record
  const repeats = Repeats.findRepeatedMails(smtpServer.letters, kills)
  const losses = [...lostTopics(record), ...lostMails(record)]
  const mistakes = [
    ...record.failures,
    ...losses,
    ...views.flatMap(([submitted, seen]) => topicMistakes(submitted, seen, assigned)),
    ...mailMistakes(record),
    ...repeats.unexplained.map((repeat) => `sent twice without need: ${repeat}`),
    ...database.mistakes
  ]
  const outcomes: Record<string, number> = {}
  for (const { outcome } of assigned.values()) {
    const name = outcome?.failure ?? outcome?.status ?? "none"
    outcomes[name] = (outcomes[name] ?? 0) + 1
  }
  return {
    mistakes,
    figures: {
      seed: record.seed,
      kills: kills.length,
      ways: record.killCountsByMoment,
      seconds: record.seconds,
      topics: database.topics,
      submissionsBroken: views.filter(([{ broken }]) => broken > 0).length,
      submissionsStoredButUnanswered: views.filter(([{ by }]) => by === "repeat").length,
      assignments: database.assignments,
      outcomes,
      acknowledgedActions: record.actions,
      generatorCalls: record.generatorCalls,
      drafts: [...database.drafts.values()].reduce((sum, number) => sum + number, 0),
      mails: new Set(smtpServer.letters.map(({ messageId }) => messageId)).size,
      mailsToldToWait: smtpServer.refused.length,
      repeats: repeats.count,
      mostRepeatsByOneKill: repeats.mostByOneKill,
      losses: losses.length
    }
  }
}

/** Acknowledged topics that are missing or stored more than once. */
const lostTopics = ({ database, total, views }: KillTestRecord): ReadonlyArray<string> => {
  const ids = new Set(views.map(([{ topicId }]) => topicId))
  const missing = views.flatMap(([{ plan, topicId }, { commentaries, progress, reference }]) => {
    if (progress.status !== 200 || commentaries.status !== 200 || reference.status !== 200) {
      const statuses = [progress, commentaries, reference].map(({ status }) => status)
      return [`topic ${plan.number} is lost: ${statuses}`]
    }
    const topics = new Set(reference.data.commentaries.map(({ topic_id }) => topic_id))
    return topics.size === 1 && topics.has(topicId)
      ? []
      : [`topic ${plan.number} is there ${topics.size} times: ${[...topics]}`]
  })
  const counted = ids.size === views.length && database.topics === ids.size && total === ids.size
  return counted
    ? missing
    : [...missing, `${views.length} topics submitted, ${database.topics} in the database, ${total} in the list`]
}

/** Compares every assignment with the acknowledged actions. Compares every approved text character by character. */
const topicMistakes = (
  { plan }: SubmittedTopic,
  { commentaries, progress, reference }: TopicViews,
  assigned: KillTestRecord["assigned"]
): ReadonlyArray<string> => {
  if (progress.status !== 200 || reference.status !== 200) return []
  const mistakes: Array<string> = []
  const expect = (what: string, seen: unknown, wanted: unknown) => {
    if (seen !== wanted) mistakes.push(`${what} is ${JSON.stringify(seen)}, not ${JSON.stringify(wanted)}`)
  }
  expect(`the text of topic ${plan.number}`, progress.data.content, plan.content)
  expect(`the status of topic ${plan.number}`, progress.data.overall_status, "completed")
  expect(`the number of assignments of topic ${plan.number}`, progress.data.personas.length, plan.assignments.length)
  for (const { course, name, personaId } of plan.assignments) {
    const seen = progress.data.personas.find(({ persona_id }) => persona_id === personaId)
    const share = reference.data.commentaries.find(({ persona_id }) => persona_id === personaId)?.share_id ?? ""
    const outcome = assigned.get(share)?.outcome
    if (outcome === undefined || outcome === null) {
      mistakes.push(`${name} (${course}) came to no end: ${JSON.stringify(seen)}`)
      continue
    }
    const text = commentaries.data.commentaries.find(({ persona }) => persona.id === personaId)?.content ?? null
    expect(`the status of ${name} (${course})`, seen?.status, outcome.status)
    expect(`the failure of ${name} (${course})`, seen?.failure?.reason ?? null, outcome.failure)
    expect(`the text of ${name} (${course})`, text, outcome.content)
  }
  return mistakes
}

/** Expected mails that never arrived. */
const lostMails = ({
  assigned,
  database,
  killsStoppedAt,
  smtpServer,
  views
}: KillTestRecord): ReadonlyArray<string> => {
  const came = new Set(smtpServer.letters.map(({ occasion, shareId }) => `${shareId}.${occasion}`))
  const entries = new Map(database.mails.map((entry) => [entry.id, entry]))
  const failures = new Map(
    views.flatMap(([, { reference }]) =>
      reference.status === 200 ? reference.data.commentaries.map((one) => [one.share_id, one.failure?.at] as const) : []
    )
  )
  return [...assigned].flatMap(([shareId, { acknowledged, plan }]) =>
    expectedOccasions(plan, acknowledged).flatMap((occasion) => {
      const id = `${shareId}.${occasion}`
      const entry = entries.get(id)
      const lost = (how: string) => [`the mail ${id} of ${plan.name} (${plan.course}) ${how}`]
      if (came.has(id)) return []
      // A reminder may be missing, because kills can keep the service down from the reminder's due time until the
      // reminder is obsolete.
      if (entry === undefined) {
        return occasion.startsWith("approval-last-call") &&
          Date.parse(failures.get(shareId) ?? "") < killsStoppedAt + onItsWay * 4
          ? []
          : lost("was never written")
      }
      const passed = passedAt(occasion, acknowledged)?.from ?? Date.parse(failures.get(shareId) ?? "")
      const settled = Date.parse(entry.settled_at ?? "")
      return occasion !== "request" && entry.state === "obsolete" && passed <= settled
        ? []
        : lost(`never came, and is written down as ${entry.state}`)
    })
  )
}

const expectedOccasions = (
  { course }: AssignmentPlan,
  { answered, drafts }: AcknowledgedActionPeriods
): ReadonlyArray<string> => {
  const decided = [...drafts.keys()].map((number) => `draft-${number}`)
  if (course === "silent") return ["request", "reminder"]
  if (course === "abandon") return ["request", "draft-1", "approval-reminder-1", "approval-last-call-1"]
  return answered === null ? ["request"] : ["request", ...decided]
}

/**
 * The maximum milliseconds for which a composed mail waits behind other mails. A mail may become obsolete while it
 * waits.
 */
const onItsWay = 2500

/**
 * Returns a sentence for each mail that should not have arrived, and for each mail that is recorded as sent but never
 * arrived.
 */
const mailMistakes = ({ assigned, database, kills, smtpServer }: KillTestRecord): ReadonlyArray<string> => {
  const entries = new Map(database.mails.map((entry) => [entry.id, entry]))
  const messageIds = new Map<string, string>()
  const came = smtpServer.letters.flatMap((letter) => {
    const { messageId, occasion, shareId } = letter
    const id = `${shareId}.${occasion}`
    const entry = entries.get(id)
    const known = messageIds.get(id) ?? messageId
    messageIds.set(id, known)
    const taken = assigned.get(shareId)
    if (entry === undefined || taken === undefined) return [`the mail ${messageId} belongs to nothing`]
    const mistakes: Array<string> = []
    if (known !== messageId) mistakes.push(`the mail ${id} has two Message-IDs: ${known} and ${messageId}`)
    if (entry.state !== "sent" && Repeats.findExplainingKill(letter, kills, Number.POSITIVE_INFINITY) === undefined) {
      const kill = kills.find((at) => at >= letter.beganAt) ?? Number.NaN
      const when = `answered at ${letter.answeredAt}, then killed at ${kill}`
      mistakes.push(`the mail ${id} was handed over (${when}) and is written down as ${entry.state}`)
    }
    const passed = passedAt(occasion, taken.acknowledged)?.by
    if (passed !== undefined && letter.beganAt > passed + onItsWay) {
      mistakes.push(`the mail ${id} came ${letter.beganAt - passed} ms after its occasion had passed`)
    }
    return mistakes
  })
  const onlyWritten = database.mails.filter(({ id, state }) => state === "sent" && !messageIds.has(id))
  return [...came, ...onlyWritten.map(({ id }) => `the mail ${id} is written down as sent, and never came`)]
}

/** Returns the period in which the mail became obsolete, or null if the mail is still valid. */
const passedAt = (occasion: string, { answered, drafts }: AcknowledgedActionPeriods): AcknowledgementPeriod | null => {
  if (occasion === "request" || occasion === "reminder") return answered
  const number = /-(\d+)$/.exec(occasion)?.[1]
  return occasion.startsWith("stalled") || number === undefined ? null : (drafts.get(Number(number)) ?? null)
}
