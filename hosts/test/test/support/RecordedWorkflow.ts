/** Runs a whole workflow, from the submission to the delivered events, and records the SQL statements of each step. */
import * as Jobs from "@partner-commentary/server/workers/Jobs"
import { extractCreatorToken, Mailbox } from "@partner-commentary/test/Mailbox"
import type { RoundTripStatements } from "@partner-commentary/test/postgres/PostgresProxy"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import { registerWebhook } from "./DeliveryCalls.ts"
import * as RecordedPostgres from "./RecordedPostgres.ts"
import { actAsCreator, submitTopic } from "./Requests.ts"
import { exampleWebhookUrl } from "./WebhookCalls.ts"

/** Runs due jobs until none is due. */
export const runJobsUntilNoneDue = Effect.gen(function* () {
  const runners = yield* Effect.all(Jobs.jobRunnerConstructors)
  for (let done = 1; done > 0; ) {
    done = 0
    for (const { runDue } of runners) done += yield* runDue
  }
}).pipe(Effect.scoped)

/** Counts commits. A statement outside of a transaction counts as one commit. */
export const countCommits = (turns: ReadonlyArray<RoundTripStatements>) => {
  let commits = 0
  let isWithin = false
  for (const kind of turns.map(RecordedPostgres.summarizeStatements)) {
    if (kind === "BEGIN") isWithin = true
    if (kind === "COMMIT") isWithin = false
    if (!isWithin) commits++
  }
  return commits
}

type Recorder<R0> = <A, E, R>(
  effect: Effect.Effect<A, E, R>
) => Effect.Effect<{ readonly answer: A; readonly turns: ReadonlyArray<RoundTripStatements> }, E, R | R0>

/** Runs a whole workflow with `count` personas and two webhooks, and records the SQL statements of each step. */
export const runRecordedWorkflow = Effect.fnUntraced(function* <R0>(count: number, record: Recorder<R0>) {
  const mailbox = yield* Mailbox
  const owner = yield* Seed.createOrganization()
  const personas = yield* Effect.forEach(Array.from({ length: count }), () => Seed.createPersona(owner))
  const { text: key } = yield* Seed.issueApiKey(owner)
  for (const at of [exampleWebhookUrl, `${exampleWebhookUrl}/other`])
    yield* registerWebhook(key, ["creator.approved"], at)
  yield* runJobsUntilNoneDue
  const newTokens = Effect.map(mailbox.all, (mails) => mails.slice(-count).map(extractCreatorToken))
  const submitted = yield* record(submitTopic(key, "Who will win the cup this year?", personas))
  const mailed = yield* record(runJobsUntilNoneDue)
  const requests = yield* newTokens
  const responded = yield* record(
    Effect.forEach(requests, (token) =>
      actAsCreator(token, "respond", { perspective: "The youngest team will win it." })
    )
  )
  const drafted = yield* record(runJobsUntilNoneDue)
  const drafts = yield* newTokens
  const approved = yield* record(Effect.forEach(drafts, (token) => actAsCreator(token, "approve")))
  const delivered = yield* record(runJobsUntilNoneDue)
  const steps = { submitted, mailed, responded, drafted, approved, delivered }
  const turns = Object.values(steps).flatMap((step) => step.turns)
  /** Failure messages show the number of round trips to the database and of commits in each step. */
  const counted = JSON.stringify(
    Object.entries(steps).map(([name, step]) => [name, step.turns.length, countCommits(step.turns)])
  )
  return { steps, turns, counted }
})

/** Lets one creator answer two topics, and records the statements that make both drafts. */
export const recordTwoDrafts = Effect.fnUntraced(function* <R0>(record: Recorder<R0>) {
  const mailbox = yield* Mailbox
  const owner = yield* Seed.createOrganization()
  const persona = yield* Seed.createPersona(owner)
  const { text: key } = yield* Seed.issueApiKey(owner)
  for (const content of ["Who will win the cup this year?", "Who will win the league this year?"]) {
    yield* submitTopic(key, content, [persona])
  }
  yield* runJobsUntilNoneDue
  const requests = (yield* mailbox.all).slice(-2).map(extractCreatorToken)
  yield* Effect.forEach(requests, (token) => actAsCreator(token, "respond", { perspective: "The youngest will." }))
  const { turns } = yield* record(runJobsUntilNoneDue)
  return turns.map(RecordedPostgres.summarizeStatements)
})
