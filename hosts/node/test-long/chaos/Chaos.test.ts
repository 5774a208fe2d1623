/**
 * Tests that three servers and three workers on one Postgres database stay consistent under faults. The test kills and
 * pauses processes and cuts connections. The database is restarted, crashed, suspended and locked while clients send
 * requests.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as PostgresProxy from "@partner-commentary/test/postgres/PostgresProxy"
import { assert, onTestFinished, test } from "vitest"
import * as Partners from "../deliveries/Partners.ts"
import * as Receivers from "../deliveries/Receivers.ts"
import { makeTestServiceConfig, runJsonCommand, type TestServiceConfig } from "../Host.ts"
import { makeRandomSource } from "../Randomness.ts"
import * as SmtpServer from "../SmtpServer.ts"
import { ChaosClient } from "./Client.ts"
import { FleetProcess } from "./Fleet.ts"
import { followEvents } from "./Follower.ts"
import * as Server from "./Server.ts"
import * as Verification from "./Verification.ts"

const lease = 2000
const quota = 20
const clients = 8
const simulated = [1, 2, 3, 4].map((number) => `7e570000-0000-4000-8000-00000000000${number}`)

const seed = Number(process.env["CHAOS_SEED"] ?? Date.now() % 2 ** 31)

test("under every fault, three servers and three workers lose no accepted work, repeat no work and exceed no quota", async () => {
  console.log(`seed ${seed}; the same again: CHAOS_SEED=${seed}`)
  const random = makeRandomSource(seed)
  const folder = mkdtempSync(join(tmpdir(), "chaos-"))
  const [server, smtpServer, receivers] = await Promise.all([
    Server.openPostgresServer(),
    SmtpServer.openSmtpServer(),
    Receivers.openReceivers(random.fork(1))
  ])
  const wire = await PostgresProxy.openPostgresRecordingProxy(server.url, { writesDown: false })
  const variables = {
    DATABASE_URL: wire.url,
    DATABASE_POOL_SIZE: "4",
    SIGNING_SECRET: "the same for every process of this test",
    SMTP_URL: smtpServer.url,
    MAIL_FROM: "Partner Commentary <desk@commentary.example>",
    WEBHOOK_ALLOW_PRIVATE: "true",
    WEBHOOK_TIMEOUT: "1 second",
    WEBHOOK_RETRY_SCHEDULE: Array.from({ length: 9 }, () => "200 millis").join(", "),
    WORKER_LEASE: `${lease} millis`,
    WORKER_POLL_INTERVAL: "100 millis"
  }
  const places: Array<TestServiceConfig> = []
  for (let number = 0; number < 6; number++) places.push(await makeTestServiceConfig(folder, variables))
  const servers = places.slice(0, 3).map((at) => new FleetProcess(at, ["serve", "--no-worker"]))
  const workers = places.slice(3).map((at) => new FleetProcess(at, ["worker"]))
  const all = [...servers, ...workers]
  onTestFinished(async () => {
    await Promise.all(all.map((member) => member.stop()))
    await Promise.all([wire.close(), smtpServer.close(), receivers.close()])
    await server.stop()
    rmSync(folder, { recursive: true })
  })
  const [at] = places as [TestServiceConfig]
  for (const member of all) member.start()
  await Promise.all(all.map((member) => member.ready()))
  const partners: Array<Partners.WebhookPartner> = []
  for (let number = 0; number < 3; number++) partners.push(await Partners.seedWebhookPartner(at, receivers, number))
  const limited = await createPartnerWithQuota(at)

  const client = new ChaosClient(servers, random.fork(2))
  const follower = followEvents(servers, partners[0]?.key ?? "", random.fork(3))
  const accepted: Array<string> = []
  let refusedByQuota = 0
  let number = 0
  let goesOn = true

  const submitting = async (mine: (typeof partners)[number] | null, numbered: number) => {
    const key = mine?.key ?? limited.key
    const { body, status } = await client.post("/topics", key, {
      content: `Who wins match ${numbered} of the season, and why?`,
      persona_ids: mine === null ? limited.personas : simulated,
      external_reference: `number-${numbered}`
    })
    if (status === 429 && mine === null) {
      refusedByQuota += 1
      return
    }
    if (status !== 201)
      return void client.mistakes.push(`topic ${numbered} was answered ${status} ${JSON.stringify(body)}`)
    const id = String(body.data.topic_id)
    accepted.push(id)
    const seen = await client.get(`/topics/${id}/status`, key)
    if (seen.status !== 200) client.mistakes.push(`topic ${id} was accepted, and then answered ${seen.status}`)
    const listed = await client.get("/topics?limit=5", key)
    if (listed.status !== 200) client.mistakes.push(`the list was answered ${listed.status}`)
  }

  const faults = { kills: 0, pauses: 0, cuts: 0, restarts: 0, crashes: 0, freezes: 0, locks: 0, bursts: 0 }
  const repeating = async (between: readonly [number, number], fault: () => unknown) => {
    const own = random.fork(between[0])
    while (goesOn) {
      await sleep(own.between(...between))
      if (goesOn) await fault()
    }
  }
  const isEnough = () => {
    faults.kills = all.reduce((sum, { kills }) => sum + kills, 0)
    faults.pauses = workers.reduce((sum, { pauses }) => sum + pauses, 0)
    return faults.kills > 15 && faults.cuts > 20 && faults.pauses > 3
  }
  const burst = () => {
    faults.bursts += 1
    return Promise.all(Array.from({ length: 25 }, () => submitting(partners[0] ?? null, number++)))
  }
  const course = async () => {
    await sleep(6000)
    await server.restart()
    faults.restarts += 1
    await sleep(8000)
    server.killBackend()
    faults.crashes += 1
    await sleep(8000)
    faults.freezes += 1
    await Promise.all([server.freeze(20_000), burst()])
    await sleep(4000)
    faults.locks += 1
    await Promise.all([server.lockUsage(12_000).catch(() => {}), burst()])
    await sleep(4000)
    server.killBackend()
    faults.crashes += 1
    await sleep(6000)
    await server.restart()
    faults.restarts += 1
    await sleep(6000)
    // A random fault on a process that is already down has no effect and is not counted. The test waits until enough
    // faults have had an effect.
    for (const end = Date.now() + 60_000; !isEnough() && Date.now() < end; ) await sleep(500)
    goesOn = false
  }

  const began = Date.now()
  const asking = Array.from({ length: clients }, async (_, index) => {
    const mine = index % 4 === 3 ? null : (partners[index % 4] ?? null)
    const own = random.fork(100 + index)
    while (goesOn) {
      await submitting(mine, number++)
      await sleep(own.between(200, 1000))
    }
  })
  await Promise.all([
    course(),
    repeating([1000, 3000], () => {
      // At least one server keeps running for the clients.
      const serving = servers.filter((member) => member.isReady)
      const victims = [...workers.filter((member) => member.isReady), ...(serving.length > 1 ? serving : [])]
      return victims[random.whole(0, victims.length - 1)]?.kill()
    }),
    repeating([6000, 9000], () => (workers[random.whole(0, 2)] as FleetProcess).pause(2.5 * lease)),
    repeating([300, 900], () => {
      if (wire.cut("transaction")) faults.cuts += 1
    }),
    ...asking
  ])
  const calm = Date.now()
  for (const end = calm + 90_000; Date.now() < end; await sleep(500)) {
    const left = await server.read(Verification.countRemainingWork)
    if (Object.values(left ?? { unknown: 1 }).every((count) => count === 0)) break
  }
  const quiet = Date.now()
  // Wait until any duplicate mail or event would have arrived.
  await sleep(2 * lease)
  const followed = await server.read(Verification.readEventIdsOfWebhookOwner(partners[0]?.webhookId ?? ""))
  for (const end = Date.now() + 30_000; follower.ids.length < followed.length && Date.now() < end; ) await sleep(200)
  const followerError = await follower.stop()
  const ends = await Promise.all(all.map((member) => member.stop()))
  const wasEnough = isEnough()

  const { figures, mistakes } = await server.read(
    Verification.findViolations({
      accepted,
      arrived: receivers.arrived,
      hooks: new Map(partners.map(({ hook, webhookId }) => [hook, webhookId])),
      letters: smtpServer.letters,
      quota: { organizationId: limited.organizationId, topics: quota }
    })
  )
  console.log({
    faults: { ...faults, total: Object.values(faults).reduce((sum, count) => sum + count) },
    requests: client.tally,
    follower: { ...follower.tally, events: follower.ids.length },
    refusedByQuota,
    ...figures,
    failedStarts: all.reduce((sum, member) => sum + member.failedStarts, 0),
    seconds: { faults: (calm - began) / 1000, untilQuiet: (quiet - calm) / 1000 }
  })
  assert.deepStrictEqual([...mistakes, ...client.mistakes, ...client.unexplained()], [])
  assert.isNull(followerError)
  assert.deepStrictEqual(follower.ids, followed, "a client that follows gets each event once, in the order of commits")
  assert.deepStrictEqual(
    all.flatMap(({ deaths }) => deaths),
    []
  )
  assert.deepStrictEqual(new Set(ends), new Set([0]))
  assert.isAbove(refusedByQuota, 0, "more was asked for than the quota allows")
  assert.isTrue(wasEnough, `more faults than ${JSON.stringify(faults)} were to come`)
  assert.isAbove(client.tally.unavailable, 0, "clients were told of the faults")
}, 400_000)

/** Creates a partner with a monthly topic quota. The partner's topics go to human creators. */
const createPartnerWithQuota = async (at: TestServiceConfig) => {
  const limits = ["requests_per_hour", "burst_per_minute", "topic_submissions_per_hour", "topic_reads_per_hour"]
  const words = limits.flatMap((name) => ["--limit", `${name}=1000000`])
  const { id: organizationId } = await runJsonCommand<{ readonly id: string }>(
    at,
    "org",
    "create",
    "--name",
    "Limited",
    ...words,
    "--limit",
    `topics_per_month=${quota}`,
    "--limit",
    "commentaries_per_month=1000000"
  )
  const personas: Array<string> = []
  for (const name of ["Ada", "Bo"]) {
    const email = `${name.toLowerCase()}@creators.example`
    const { id } = await runJsonCommand<{ readonly id: string }>(
      at,
      "persona",
      "create",
      "--name",
      name,
      "--creator-email",
      email
    )
    await runJsonCommand(at, "license", "grant", "--org", organizationId, "--persona", id)
    personas.push(id)
  }
  const { full_key: key } = await runJsonCommand<{ readonly full_key: string }>(
    at,
    "key",
    "create",
    "--org",
    organizationId,
    "--name",
    "driver",
    "--scopes",
    "topics:submit,topics:read"
  )
  return { organizationId, key, personas }
}
