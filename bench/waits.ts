/**
 * `node bench/waits.ts` measures 2,000 requests that wait for a change of a topic: the memory of each request, the
 * processor time while nothing changes, and the time from an approval to the responses. For the meaning of the printed
 * rows, see bench/README.md. The benchmark takes about a minute.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { Agent, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as PostgresServer from "../hosts/test/src/postgres/PostgresServer.ts"
import { printLine } from "./Compare.ts"
import * as Database from "./Database.ts"
import * as Partners from "./events/Partners.ts"
import * as Machine from "./Machine.ts"
import * as Servers from "./Servers.ts"

/** The service allows 1,000 waiting requests of an organization. */
const partners = 2
const topics = 100
const waitersOfTopic = 10
const waiters = partners * topics * waitersOfTopic

/**
 * The length of the idle phase in milliseconds. The idle phase and all approvals together take less than 30 seconds,
 * because each request waits for 30 seconds.
 */
const idle = 5_000
const betweenApprovals = 50

const folder = mkdtempSync(join(tmpdir(), "partner-commentary-bench-"))
let cluster: PostgresServer.PostgresTestServer | undefined
const leave = async (code: number) => {
  Servers.killAllServers()
  await cluster?.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.exit(code)
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => leave(130))

/** Each waiting request has a separate connection. */
const connection = () => new Agent({ keepAlive: true, maxSockets: 1 })

/** Returns the time at which the response ended. */
const ask = (agent: Agent, method: string, port: number, path: string, headers: Readonly<Record<string, string>>) =>
  new Promise<number>((resolve, reject) => {
    const sent = request({ agent, host: "127.0.0.1", port, method, path, headers }, (response) => {
      response.resume().on("end", () => {
        if (response.statusCode === 200) resolve(performance.now())
        else reject(new Error(`${method} ${path} was answered with ${response.statusCode}`))
      })
    })
    sent.on("error", reject)
    sent.end(method === "POST" ? "{}" : undefined)
  })

interface Waiter {
  readonly agent: Agent
  readonly draft: Partners.CommentaryApproval
}

const status = (port: number, { agent, draft }: Waiter, wait: Readonly<Record<string, string>>) =>
  ask(agent, "GET", port, `/partner/v1/topics/${draft.topicId}/status`, { "x-api-key": draft.key, ...wait })

const approving = new Agent({ keepAlive: true })
const approve = (port: number, { key, path }: Partners.CommentaryApproval) =>
  ask(approving, "POST", port, path, { "x-api-key": key, "content-type": "application/json", "content-length": "2" })

const percentiles = (times: ReadonlyArray<number>): string => {
  const sorted = [...times].sort((one, other) => one - other)
  const at = (part: number) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(0)
  return `median ${at(0.5)} ms   p99 ${at(0.99)} ms   longest ${at(1)} ms`
}

const memory = async (server: Servers.ListeningServer) => {
  await sleep(1_000)
  return Servers.readMemoryMegabytes(server)
}

const measure = async (name: string, variables: NodeJS.ProcessEnv, processes: number) => {
  const own = join(folder, name)
  mkdirSync(own)
  const waiting = await Servers.startServiceProcess(own, variables)
  const changing = processes === 1 ? waiting : await Servers.startServiceProcess(own, variables)
  const drafts: Array<Partners.CommentaryApproval> = []
  for (let number = 0; number < partners; number++) {
    drafts.push(...(await Partners.prepareApprovals(own, variables, waiting, { urls: [], drafts: topics })))
  }
  const waitersOf = drafts.map((draft) =>
    Array.from({ length: waitersOfTopic }, (): Waiter => ({ agent: connection(), draft }))
  )
  for (const group of waitersOf) await Promise.all(group.map((waiter) => status(waiting.port, waiter, {})))
  const connected = await memory(waiting)

  const answers = waitersOf.map((group) =>
    Promise.all(group.map((waiter) => status(waiting.port, waiter, { prefer: "wait=30" })))
  )
  const all = Promise.all(answers)
  const held = await memory(waiting)
  const before = Servers.readProcessorSeconds(waiting)
  await sleep(idle)
  const spent = Servers.readProcessorSeconds(waiting) - before

  const began: Array<number> = []
  const approvals: Array<Promise<number>> = []
  for (const draft of drafts) {
    began.push(performance.now())
    approvals.push(approve(changing.port, draft))
    await sleep(betweenApprovals)
  }
  const since = (ended: number, index: number) => ended - (began[index] ?? 0)
  const approved = (await Promise.all(approvals)).map(since)
  const answered = (await all).flatMap((ends, index) => ends.map((ended) => since(ended, index)))

  printLine(`${name}, processes: ${processes}`)
  printLine(
    `  ${connected.toFixed(0)} MB with ${waiters} open connections, ${held.toFixed(0)} MB while ${waiters} requests wait`
  )
  printLine(`  ${(((held - connected) * 1024) / waiters).toFixed(1)} KiB for each waiting request`)
  printLine(`  ${((spent / idle) * 1e6).toFixed(0)} ms of processor time a second while nothing changes`)
  printLine(`  from an approval to its response   ${percentiles(approved)}`)
  printLine(`  from an approval to an answer      ${percentiles(answered)}`)
  printLine()
  for (const server of new Set([waiting, changing])) await Servers.stopServer(server)
}

const main = async () => {
  for (const line of Machine.describeMachine(folder)) printLine(line)
  printLine()
  const variables = { LOG_LEVEL: "warn" }
  await measure("SQLite", variables, 1)
  cluster = await PostgresServer.startPostgresServer({ settings: [...Database.postgresServerSettings] })
  const server = Database.openPool(cluster.url)
  await server.query("CREATE DATABASE waits")
  await server.end()
  await measure("Postgres", { ...variables, DATABASE_URL: Database.makeDatabaseUrl(cluster.url, "waits") }, 2)
}

main().then(
  () => leave(0),
  (error: unknown) => {
    printLine(error instanceof Error ? (error.stack ?? error.message) : String(error))
    return leave(1)
  }
)
