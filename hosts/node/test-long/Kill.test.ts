/**
 * Tests that the service survives a kill at any time. Real processes run on one database file with a real mail server
 * and a real generator. Partners and creators continue to work during the kills, and the service must store every
 * acknowledged action.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, onTestFinished, test } from "vitest"
import { callApi } from "./Call.ts"
import type { CreatorPageAssignment } from "./Creator.ts"
import * as Fixtures from "./Fixtures.ts"
import * as GeneratorServer from "./GeneratorServer.ts"
import { type EnvironmentVariables, HostProcess, makeTestServiceConfig } from "./Host.ts"
import * as Ledger from "./Ledger.ts"
import * as LossyProxy from "./LossyProxy.ts"
import * as Partner from "./Partner.ts"
import * as Plan from "./Plan.ts"
import { makeRandomSource } from "./Randomness.ts"
import { runKillTest } from "./Run.ts"
import * as SmtpServer from "./SmtpServer.ts"

const lease = 2000
const smtpConnections = 16

const startTestEnvironment = async (variables: EnvironmentVariables, personas: number) => {
  const folder = mkdtempSync(join(tmpdir(), "kill-"))
  const [smtpServer, writer] = await Promise.all([SmtpServer.openSmtpServer(), GeneratorServer.openGeneratorServer()])
  const at = await makeTestServiceConfig(folder, {
    SMTP_URL: smtpServer.url,
    SMTP_CONNECTIONS: String(smtpConnections),
    MAIL_FROM: "Partner Commentary <desk@commentary.example>",
    GENERATOR_URL: writer.url,
    GENERATOR_MODEL: "m",
    WORKER_LEASE: `${lease} millis`,
    WORKER_POLL_INTERVAL: "100 millis",
    ...variables
  })
  const wire = await LossyProxy.openLossyProxy(at.root)
  const host = new HostProcess(at)
  onTestFinished(async () => {
    await host.stop()
    await Promise.all([smtpServer.close(), writer.close(), wire.close()])
    rmSync(folder, { recursive: true })
  })
  const fixtures = await Fixtures.seedOrganization(at, personas)
  return { at, host, wire, smtpServer, writer, fixtures }
}

/** Starts the service and prepares a topic with one assignment. */
const started = async () => {
  const scene = await startTestEnvironment({}, 1)
  const { fixtures, host, wire } = scene
  const [plan] = Plan.generatePlans(makeRandomSource(1), 1, fixtures.personas)
  const single = { ...plan!, assignments: plan!.assignments.slice(0, 1), repeated: false }
  host.start()
  const submit = () => Partner.submitTopic({ root: wire.root, key: fixtures.key }, single, () => {})
  return { ...scene, submit, address: (token: string) => `${wire.root}/creator/${token}` }
}

const eventually = async <A>(what: string, look: () => A | Promise<A>, seconds = 20): Promise<NonNullable<A>> => {
  for (const until = Date.now() + seconds * 1000; Date.now() < until; ) {
    const seen = await look()
    if (seen !== null && seen !== undefined && seen !== false) return seen
    await sleep(20)
  }
  throw new Error(`${what}: not within ${seconds} s`)
}

/** A creator's link allows 60 requests a minute, so the test polls slowly. */
const drafted = (address: string) =>
  eventually("the draft", async () => {
    await sleep(400)
    return (await callApi<CreatorPageAssignment>(address)).data.draft
  })

const end = async (host: HostProcess, database: string) => {
  assert.strictEqual(await host.stop(), 0, "told to stop, it ends well")
  assert.deepStrictEqual(host.complaints, [])
  return Ledger.readDatabaseSnapshot(database)
}

test("after a kill during draft generation, the attempt is repeated when its lease expires, and the draft arrives once", async () => {
  const { address, at, host, smtpServer, submit, writer } = await started()
  await submit()
  const { token } = await eventually("the request's mail", () => smtpServer.letters[0])
  let answer: (good: boolean) => void = () => {}
  writer.work = () => new Promise((resolve) => (answer = resolve))
  const perspective = "Form beats fame, and I stand by it."
  const before = Date.now()
  const responded = await callApi<CreatorPageAssignment>(`${address(token)}/respond`, { body: { perspective } })
  assert.strictEqual(responded.status, 200)
  await eventually("the first attempt", () => writer.orders[0])

  await host.kill()
  answer(true)
  const second = await eventually("the second attempt", () => writer.orders[1])
  assert.isAtLeast(second.at - before, lease, "not before the lease is over")
  assert.strictEqual((await callApi<CreatorPageAssignment>(address(token))).data.draft, null)
  answer(true)
  const draft = await drafted(address(token))
  assert.strictEqual(draft.content, `${perspective} Version 2.`)
  await eventually("the draft's mail", () => smtpServer.letters.find(({ occasion }) => occasion === "draft-1"))
  await sleep(2 * lease)

  assert.lengthOf(writer.orders, 2)
  assert.deepStrictEqual(
    smtpServer.letters.map(({ occasion }) => occasion),
    ["request", "draft-1"]
  )
  const books = await end(host, at.database)
  assert.deepStrictEqual([...books.drafts.values()], [1])
})

test("if the service is killed after the mail server accepted a mail and before the reply, the mail is sent again with the same Message-ID", async () => {
  const { address, at, host, smtpServer, submit } = await started()
  // The mail server kills the service instead of answering the first mail.
  smtpServer.linger = (letter) =>
    smtpServer.letters.indexOf(letter) === 0 ? host.kill().then(() => new Promise(() => {})) : Promise.resolve()
  const before = Date.now()
  await submit()
  const second = await eventually("the mail again", () => smtpServer.letters[1])
  const [first] = smtpServer.letters
  assert.isNull(first!.answeredAt, "the first hand-over was never answered")
  assert.strictEqual(second.messageId, first!.messageId)
  assert.isAtLeast(second.acceptedAt - before, lease, "not before the lease is over")
  await sleep(2 * lease)

  assert.lengthOf(smtpServer.letters, 2, "and no third time")
  for (const { token } of smtpServer.letters) {
    assert.strictEqual(
      (await callApi<CreatorPageAssignment>(address(token))).data.status,
      "topic_sent",
      "both links work"
    )
  }
  const books = await end(host, at.database)
  assert.deepStrictEqual(
    books.mails.map(({ attempts, state }) => ({ attempts, state })),
    [{ attempts: 1, state: "sent" }]
  )
})

test("after a kill between an action and its response, a repeated action changes nothing and returns the result of the first action", async () => {
  const { address, at, host, smtpServer, submit, wire } = await started()
  await host.ready()
  const lost = () => wire.loseNext().then(() => host.kill())
  const [submitted] = await Promise.all([submit(), lost()])
  assert.strictEqual(submitted.by, "repeat")
  const { token } = await eventually("the request's mail", () => smtpServer.letters[0])
  const act = async (action: string, body: unknown) => {
    const [first] = await Promise.all([callApi<CreatorPageAssignment>(`${address(token)}/${action}`, { body }), lost()])
    assert.isAtLeast(first.broken, 1)
    assert.strictEqual(first.status, 200)
    return first.data
  }
  const answered = await act("respond", { perspective: "Form beats fame, and I stand by it." })
  assert.include(["opinion_injected", "commentary_generated"], answered.status)
  // After the kill, a running generation attempt is repeated when its lease has expired.
  const draft = await drafted(address(token))
  const approved = await act("approve", { draft_id: draft.id })
  assert.strictEqual(approved.commentary?.content, draft.content)
  await eventually("quiet", () => Ledger.countWaitingMails(at.database) === 0)

  const books = await end(host, at.database)
  assert.deepStrictEqual(books.mistakes, [])
  assert.deepStrictEqual([books.topics, books.assignments, [...books.drafts.values()]], [1, 1, [1]])
})

test("after repeated kills at random times, no acknowledged action is lost or undone, and a mail is repeated only if a kill explains the repeat", async () => {
  const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 2 ** 31)
  console.log(`seed ${seed}; the same again: KILL_SEED=${seed}`)
  const scene = await startTestEnvironment(
    {
      RESPONSE_WINDOW: "40 seconds",
      APPROVAL_WINDOW: "90 seconds",
      GENERATION_RETRY_SCHEDULE: Array.from({ length: 20 }, () => "250 millis").join(", ")
    },
    4
  )
  const report = await runKillTest(scene, seed)
  console.log(report.figures)
  assert.deepStrictEqual(report.mistakes, [])
  assert.isAtLeast(report.figures.kills, 25)
  assert.isAtMost(report.figures.mostRepeatsByOneKill, smtpConnections)
}, 220_000)
