/**
 * Tests that deliveries survive killed workers. Workers on one database file are killed 500 times while 2,000 events
 * are sent to a real receiver. The same workers produce the events by approving, declining, expiring and failing
 * assignments.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, onTestFinished, test } from "vitest"
import { HostProcess, makeTestServiceConfig } from "../Host.ts"
import { makeRandomSource } from "../Randomness.ts"
import * as Agreement from "./Agreement.ts"
import * as DeliveryLedger from "./DeliveryLedger.ts"
import * as Partners from "./Partners.ts"
import * as Receivers from "./Receivers.ts"
import { WorkerKiller } from "./Workers.ts"

const kills = 500
const partners = 20
const rounds = 5
const topicsPerRound = 5
const events = partners * rounds * topicsPerRound * Partners.eventCountPerTopic

const timeout = 1000
const lease = 2 * timeout

const until = async (what: string, seconds: number, look: () => boolean) => {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(100)) if (look()) return
  throw new Error(`${what}: not within ${seconds} s`)
}

test("with 500 kills of workers during 2,000 events, each event arrives under one id, and the attempts log matches the received requests", async () => {
  const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 2 ** 31)
  console.log(`seed ${seed}; the same again: KILL_SEED=${seed}`)
  const random = makeRandomSource(seed)
  const folder = mkdtempSync(join(tmpdir(), "deliveries-"))
  const receivers = await Receivers.openReceivers(random.fork(1))
  const at = await makeTestServiceConfig(folder, {
    WEBHOOK_ALLOW_PRIVATE: "true",
    WEBHOOK_TIMEOUT: `${timeout} millis`,
    WEBHOOK_RETRY_SCHEDULE: Array.from({ length: 9 }, () => "200 millis").join(", "),
    WORKER_LEASE: `${lease} millis`,
    WORKER_POLL_INTERVAL: "100 millis",
    // Without `--max-semi-space-size`, the service restarts Node to set this flag, and each start takes longer.
    NODE_OPTIONS: "--max-semi-space-size=8"
  })
  const server = new HostProcess(at, ["serve", "--no-worker"])
  const workers = new WorkerKiller(at, 4, random.fork(2))
  onTestFinished(async () => {
    await Promise.all([server.stop(), workers.stop()])
    await receivers.close()
    rmSync(folder, { recursive: true })
  })

  server.start()
  await server.ready()
  const all: Array<Partners.WebhookPartner> = []
  for (let number = 0; number < partners; number++) all.push(await Partners.seedWebhookPartner(at, receivers, number))
  workers.start()
  receivers.onMoment = () => workers.moment()
  const begun = Date.now()

  const shares: Array<string> = []
  const submitting = async () => {
    for (let turn = 0; turn < partners * rounds; turn++) {
      // The test submits topics at the rate of the kills, so that workers send events from the first kill to the last
      // kill.
      await until("the kills", 120, () => workers.kills >= (turn / (partners * rounds)) * kills * 0.95)
      const partner = all[turn % partners]!
      shares.push(...(await Partners.submitTopics(at, partner, turn * topicsPerRound, topicsPerRound)))
    }
  }
  const countDelivered = () => DeliveryLedger.countDeliveries(at.database).delivered
  // On a slow machine, the kills wait for deliveries, so that workers deliver events between the kills on any machine.
  const mayKill = () => until("deliveries between the kills", 120, () => countDelivered() >= workers.kills * 0.45)
  await Promise.all([submitting(), workers.killRepeatedly(kills, mayKill)])
  const calm = Date.now()
  const during = countDelivered()
  await until("everything delivered", 120, () => {
    const { delivered, waiting } = DeliveryLedger.countDeliveries(at.database)
    return delivered === events && waiting === 0
  })
  const quiet = Date.now()
  // Wait until any repeated delivery would have been sent.
  await sleep(2 * lease)
  const ends = await workers.stop()

  const { figures, mistakes } = Agreement.compareDeliveries({
    books: DeliveryLedger.readStoredDeliveries(at.database),
    arrived: receivers.arrived,
    webhooks: new Map(all.map(({ hook, webhookId }) => [hook, webhookId])),
    shares,
    kills: workers.workers.flatMap((worker) => worker.kills),
    lease
  })
  console.log({
    ...figures,
    kills: workers.kills,
    ways: workers.tally,
    deliveredDuringKills: during,
    seconds: { kills: (calm - begun) / 1000, rest: (quiet - calm) / 1000 }
  })
  assert.deepStrictEqual(mistakes, [])
  assert.deepStrictEqual([...workers.complaints, ...server.complaints], [])
  assert.deepStrictEqual(new Set(ends), new Set([0]))
  assert.strictEqual(workers.kills, kills)
  assert.isAtLeast(during, events / 10, "they flowed while workers died, on a slow machine too")
  assert.isAtLeast(figures["lostTickets"] ?? 0, 50, "deliveries were under way when workers died")
  assert.isAbove(figures["unlogged"] ?? 0, 0, "requests were seen whose worker could not write them down")
  assert.isAtMost(figures["lostTickets"] ?? 0, kills * partners * 5, "no more than a worker may have under way")
}, 600_000)
