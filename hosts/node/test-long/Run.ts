/**
 * Runs one test in which a partner and creators work while the service is killed repeatedly. After the last kill, the
 * test verifies the data, the acknowledged actions and the mails.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { callApi } from "./Call.ts"
import * as Creator from "./Creator.ts"
import type { SeededOrganization } from "./Fixtures.ts"
import type { GeneratorServer } from "./GeneratorServer.ts"
import type { HostProcess, TestServiceConfig } from "./Host.ts"
import { ProcessKiller } from "./Killer.ts"
import * as Ledger from "./Ledger.ts"
import type { LossyProxy } from "./LossyProxy.ts"
import * as Partner from "./Partner.ts"
import * as Plan from "./Plan.ts"
import { makeRandomSource, type RandomSource } from "./Randomness.ts"
import type { ReceivedMail, SmtpServer } from "./SmtpServer.ts"
import { type AssignmentExpectation, type VerificationReport, verifyKillTest } from "./Verification.ts"

export interface KillTestSetup {
  readonly at: TestServiceConfig
  readonly host: HostProcess
  /** The partner and the creators connect to the service through the proxy. */
  readonly wire: LossyProxy
  readonly smtpServer: SmtpServer
  readonly writer: GeneratorServer
  readonly fixtures: SeededOrganization
}

const topics = 120
const minKills = 28
/**
 * The number of milliseconds before the first kill. Before the first kill, the mail server defers some mails by a
 * minute. The deferred mails are due again in the middle of the run.
 */
const warmUp = 4000
/** The time in milliseconds after which the kills stop, if the minimum number of kills has been reached. */
const killPhaseMs = 70_000
/**
 * The maximum milliseconds for finishing all work after the kills. The limit exceeds all delays and time windows of the
 * service.
 */
const completionTimeoutMs = 100_000

export const runKillTest = async (scene: KillTestSetup, seed: number): Promise<VerificationReport> => {
  const { at, fixtures, host, smtpServer, wire, writer } = scene
  const random = makeRandomSource(seed)
  const plans = Plan.generatePlans(random.fork(1), topics, fixtures.personas)
  const killer = new ProcessKiller(host, wire, random.fork(2))
  const line = { root: wire.root, key: fixtures.key }
  const assigned = new Map<string, AssignmentExpectation>()
  const failures: Array<string> = []
  const fail = (cause: unknown) => void failures.push(cause instanceof Error ? cause.message : String(cause))
  let atWork = 0
  let actions = 0

  const follow = async (letter: ReceivedMail) => {
    const address = `${wire.root}/creator/${letter.token}`
    const { data: view, status } = await callApi<Creator.CreatorPageAssignment>(address)
    if (status !== 200) throw new Error(`the link of ${letter.messageId} was answered ${status}`)
    const topic = plans[Plan.parseTopicNumber(view.topic.content)]
    const plan = topic?.assignments.find(({ personaId }) => personaId === view.persona.id)
    if (topic === undefined || plan === undefined) throw new Error(`nobody asked for ${view.share_id}`)
    const entry = {
      plan,
      topic,
      acknowledged: { answered: null, drafts: new Map() },
      outcome: null
    } as AssignmentExpectation
    assigned.set(letter.shareId, entry)
    entry.outcome = await Creator.simulateCreator(plan, {
      address,
      onSend: () => killer.moments.emit("action"),
      count: () => actions++,
      acknowledged: entry.acknowledged,
      draftMail: async (number) => {
        while (
          !smtpServer.letters.some((one) => one.shareId === letter.shareId && one.occasion === `draft-${number}`)
        ) {
          await sleep(100)
        }
      }
    })
  }

  const begun = new Set<string>()
  smtpServer.onAccepted = (letter) => {
    killer.moments.emit("handover")
    if (letter.occasion !== "request" || begun.has(letter.shareId)) return
    begun.add(letter.shareId)
    atWork++
    void follow(letter)
      .catch(fail)
      .finally(() => atWork--)
  }
  writer.onOrder = () => killer.moments.emit("generation")
  causeRandomFailures(scene, random.fork(3), plans, host)

  const submitted: Array<Partner.SubmittedTopic> = []
  const partner = async () => {
    for (let next = 0; next < plans.length; ) {
      const burst = next === 0 ? 20 : random.whole(2, 10)
      const sent = plans
        .slice(next, next + burst)
        .map((plan) => Partner.submitTopic(line, plan, () => killer.moments.emit("submission")))
      for (const one of await Promise.allSettled(sent)) {
        if (one.status === "fulfilled") submitted.push(one.value)
        else fail(one.reason)
      }
      next += burst
      await sleep(random.between(100, 1500))
    }
  }

  const began = Date.now()
  host.start()
  let submitting = true
  const partnering = partner().finally(() => (submitting = false))
  await sleep(warmUp)
  const killsStartedAt = Date.now()
  await killer.killRepeatedly(
    () => host.kills.length < minKills || (submitting && Date.now() < killsStartedAt + killPhaseMs)
  )
  const killsStoppedAt = Date.now()
  await partnering

  const unfinished = await waitForCompletion(at, line, () => atWork === 0)
  if (unfinished !== null) fail(unfinished)
  // The look-ups run one after another, because an organization may run only a few look-ups by reference concurrently.
  const views: Array<readonly [Partner.SubmittedTopic, TopicViews]> = []
  for (const one of submitted) views.push([one, await lookUp(line, one)])
  const { pagination } = (await callApi(`${wire.root}/partner/v1/topics?limit=1`, { key: line.key })).body as {
    readonly pagination: { readonly total: number }
  }
  const exit = await host.stop()
  if (exit !== 0) fail(`told to stop, it ended with ${exit}`)
  return verifyKillTest({
    seed,
    failures: [...failures, ...host.complaints],
    kills: host.kills,
    killsStoppedAt,
    seconds: { underFire: (killsStoppedAt - began) / 1000, untilQuiet: (Date.now() - killsStoppedAt) / 1000 },
    killCountsByMoment: killer.tally,
    actions,
    views,
    total: pagination.total,
    assigned,
    smtpServer,
    generatorCalls: writer.orders.length,
    database: Ledger.readDatabaseSnapshot(at.database)
  })
}

/** Makes the mail server and the generator sometimes respond slowly and sometimes fail. */
const causeRandomFailures = (
  { smtpServer, writer }: KillTestSetup,
  random: RandomSource,
  plans: ReadonlyArray<Plan.TopicPlan>,
  host: HostProcess
) => {
  const waited = new Set<string>()
  smtpServer.judge = (letter) => {
    // A deferred mail arrives a minute later, so mails with a short deadline are not deferred.
    const number = Plan.parseTopicNumber(letter.text)
    const hurried = plans[number]?.assignments.some(
      ({ course, waitsForMail }) => course === "abandon" || (letter.occasion !== "request" && waitsForMail)
    )
    const early = host.kills.length === 0 && /^(request|draft-\d+)$/.test(letter.occasion)
    if (!early || hurried || waited.has(letter.messageId) || !random.chance(0.3)) return "accept"
    waited.add(letter.messageId)
    return "later"
  }
  smtpServer.linger = () => (random.chance(0.2) ? sleep(random.between(20, 250)) : Promise.resolve())
  writer.work = async () => {
    // The generator sometimes takes longer than the lease of the draft job, and the service must discard the late
    // draft.
    await sleep(random.chance(0.04) ? 2700 : random.between(5, random.chance(0.3) ? 1200 : 200))
    return !random.chance(0.15)
  }
}

/** Returns a description of the unfinished work, or null if every topic is completed and no mail waits. */
const waitForCompletion = async (
  at: TestServiceConfig,
  { key, root }: Partner.PartnerConnection,
  idle: () => boolean
): Promise<string | null> => {
  let open = -1
  for (const until = Date.now() + completionTimeoutMs; Date.now() < until; await sleep(500)) {
    open = 0
    for (const status of ["pending", "in_progress", "partial"]) {
      const listed = await callApi(`${root}/partner/v1/topics?limit=1&status=${status}`, { key })
      open += (listed.body as { readonly pagination: { readonly total: number } }).pagination.total
    }
    if (idle() && open === 0 && Ledger.countWaitingMails(at.database) === 0) return null
  }
  return `after ${completionTimeoutMs} ms without kills, ${open} topics are not completed and ${Ledger.countWaitingMails(at.database)} mails wait`
}

const lookUp = async ({ key, root }: Partner.PartnerConnection, { plan, topicId }: Partner.SubmittedTopic) => {
  const topics = `${root}/partner/v1/topics`
  const [progress, commentaries, reference] = await Promise.all([
    callApi<TopicStatusView>(`${topics}/${topicId}/status`, { key }),
    callApi<CommentariesView>(`${topics}/${topicId}/commentaries`, { key }),
    callApi<ReferenceView>(`${topics}/by-reference/${plan.reference}`, { key })
  ])
  return { progress, commentaries, reference }
}

export interface TopicStatusView {
  readonly content: string
  readonly overall_status: string
  readonly personas: ReadonlyArray<{
    readonly persona_id: string
    readonly status: string
    readonly failure: { readonly reason: string } | null
  }>
}

export interface CommentariesView {
  readonly commentaries: ReadonlyArray<{ readonly persona: { readonly id: string }; readonly content: string }>
}

export interface ReferenceView {
  readonly commentaries: ReadonlyArray<{
    readonly share_id: string
    readonly topic_id: string
    readonly persona_id: string
    readonly failure: { readonly reason: string; readonly at: string } | null
  }>
}

export type TopicViews = Awaited<ReturnType<typeof lookUp>>
