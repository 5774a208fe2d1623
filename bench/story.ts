/**
 * `node bench/story.ts` measures whole stories: a topic of three personas, three mails, three responses, three drafts
 * and their mails, three approvals, and each event at two webhooks. For the meaning of the printed rows, see
 * bench/README.md. `--quick` takes about three minutes.
 */
import { fork } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve as resolvePath } from "node:path"
import * as PostgresServer from "../hosts/test/src/postgres/PostgresServer.ts"
import { printLine } from "./Compare.ts"
import * as Database from "./Database.ts"
import { makeFixtures } from "./Fixtures.ts"
import * as Machine from "./Machine.ts"
import * as Servers from "./Servers.ts"
import type { MeasuredTimes, PartnerCommand, PartnerCommandOutcome, ServiceTarget } from "./story/Partners.ts"

const quick = process.argv.includes("--quick")
const only = (name: string) => {
  const index = process.argv.indexOf(name)
  return index < 0 ? undefined : process.argv[index + 1]
}
const sides = (only("--sides") ?? "peer,ours").split(",")
const databases = (only("--databases") ?? "sqlite,postgres").split(",")
const counts = (only("--processes") ?? (quick ? "1" : "1,2,4")).split(",").map(Number)
/** The folder for the CPU profiles of the product's processes. Each process writes its profile when it stops. */
const profiles = only("--profile")
const profileTo = (at: string) => `--cpu-prof --cpu-prof-dir=${resolvePath(at)}`
const plan = quick ? { warmUp: 3, seconds: 6, staged: 60 } : { warmUp: 5, seconds: 15, staged: 200 }

const folder = mkdtempSync(join(tmpdir(), "partner-commentary-bench-"))
const outside = fork(join(import.meta.dirname, "story/Partners.ts"))
let cluster: PostgresServer.PostgresTestServer | undefined
const leave = async (code: number) => {
  Servers.killAllServers()
  outside.kill("SIGKILL")
  await cluster?.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.exit(code)
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => leave(130))

const said = <A>() => new Promise<A>((resolve) => outside.once("message", (message) => resolve(message as A)))
const carryOut = async (order: PartnerCommand): Promise<PartnerCommandOutcome | null> => {
  const answer = said<{ readonly outcome?: PartnerCommandOutcome | null; readonly failure?: string }>()
  outside.send(order)
  const { failure, outcome } = await answer
  if (failure !== undefined) throw new Error(failure)
  return outcome ?? null
}

interface Stage {
  readonly name: string
  readonly order: { readonly do: "submit"; readonly stories: number } | { readonly do: "respond" | "approve" }
}
const stages: ReadonlyArray<Stage> = [
  { name: "submission to mail", order: { do: "submit", stories: plan.staged } },
  { name: "response to draft's mail", order: { do: "respond" } },
  { name: "approval to events", order: { do: "approve" } }
]

/** Returns the CPU seconds of the open sessions of the database server. */
const sessionTime = (pid: number): number => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")
  return children.reduce((sum, child) => sum + Servers.readProcessorSecondsByPid(child), 0)
}

const countsOf = async (database: Database.DatabasePool) => {
  const { rows } = await database.query(`SELECT xact_commit::int AS commits,
    (SELECT sum(calls)::int FROM pg_stat_statements WHERE query !~ '^(BEGIN|COMMIT|ROLLBACK)') AS statements
    FROM pg_stat_database WHERE datname = current_database()`)
  return rows[0] as { readonly commits: number; readonly statements: number }
}

interface Side {
  readonly title: string
  readonly servers: ReadonlyArray<Servers.ListeningServer>
  readonly target: ServiceTarget
  readonly database?: Database.DatabasePool
}

/** Measures the work of each stage while nothing else runs. */
const byStage = async ({ database, servers, target }: Side) => {
  printLine("| stage, a story | processor ms | database ms | commits | statements |\n|---|---|---|---|---|")
  const total = [0, 0, 0, 0]
  for (const { name, order } of stages) {
    const before = servers.map(Servers.readProcessorSeconds)
    const sessions = cluster === undefined ? 0 : sessionTime(cluster.pid())
    const counted = await (database && countsOf(database))
    await carryOut({ ...target, ...order })
    const spent = servers.reduce((sum, server, index) => sum + Servers.readProcessorSeconds(server) - before[index]!, 0)
    const inSessions = cluster === undefined ? Number.NaN : sessionTime(cluster.pid()) - sessions
    // Postgres sessions report their statistics once a second.
    if (database !== undefined) await new Promise((resolve) => setTimeout(resolve, 1500))
    const after = await (database && countsOf(database))
    const figures = [
      spent * 1000,
      inSessions * 1000,
      (after?.commits ?? Number.NaN) - (counted?.commits ?? 0),
      (after?.statements ?? Number.NaN) - (counted?.statements ?? 0)
    ].map((figure) => figure / plan.staged)
    figures.forEach((figure, index) => {
      total[index]! += figure
    })
    printLine(`| ${name} | ${figures.map(formatFigure).join(" | ")} |`)
  }
  printLine(`| whole story | ${total.map(formatFigure).join(" | ")} |\n`)
}

const formatFigure = (figure: number) => (Number.isNaN(figure) ? "" : figure.toFixed(1))
const inMs = ({ p50, p99 }: MeasuredTimes) => `${p50.toFixed(0)} / ${p99.toFixed(0)}`

const row = (name: string, { seconds, ...outcome }: PartnerCommandOutcome) => {
  const rates = [outcome.stories, outcome.mails, outcome.events].map((count) => (count / seconds).toFixed(1))
  const spans = [outcome.post, outcome.submissionToMail, outcome.approvalToEvent].map(inMs)
  printLine(`| ${[name, ...rates, ...spans, outcome.backlog.join(" to ")].join(" | ")} |`)
}

const measure = async (side: Side) => {
  printLine(`${side.title}\n`)
  await carryOut({ ...side.target, do: "play", pace: { inFlight: 32 }, warmUp: 0, seconds: plan.warmUp })
  await byStage(side)
  printLine("| load | stories/s | mails/s | events/s | POST p50 / p99 ms | to mail | approval to 2xx | backlog |")
  printLine("|---|---|---|---|---|---|---|---|")
  const play = async (pace: (PartnerCommand & { readonly do: "play" })["pace"]) =>
    (await carryOut({
      ...side.target,
      do: "play",
      pace,
      warmUp: plan.warmUp,
      seconds: plan.seconds
    })) as PartnerCommandOutcome
  const most = await play({ inFlight: 64 })
  row("64 stories at a time", most)
  const sustained = most.stories / most.seconds
  for (const part of [0.8, 0.5]) {
    const perSecond = Math.max(1, sustained * part)
    row(`${perSecond.toFixed(1)} topics/s`, await play({ perSecond }))
  }
  const rate = only("--rate")
  if (rate !== undefined) row(`${rate} topics/s`, await play({ perSecond: Number(rate) }))
  printLine()
  for (const server of side.servers) await Servers.stopServer(server)
  await side.database?.end()
  return sustained
}

const newDatabase = async (name: string) => {
  const { url } = cluster!
  const server = Database.openPool(url)
  await server.query(`CREATE DATABASE ${name}`)
  await server.end()
  const own = Database.makeDatabaseUrl(url, name)
  const database = Database.openPool(own)
  await database.query("CREATE EXTENSION pg_stat_statements")
  return { url: own, database }
}

const startOurs = async (
  name: string,
  processes: number,
  ports: { readonly smtp: number; readonly receivers: number }
): Promise<Side> => {
  const own = join(folder, name)
  mkdirSync(own)
  const made = cluster === undefined ? undefined : await newDatabase(name)
  const variables = {
    SMTP_URL: `smtp://127.0.0.1:${ports.smtp}?ignoreTLS=true`,
    WEBHOOK_ALLOW_PRIVATE: "true",
    LOG_LEVEL: "warn",
    ...(made === undefined ? {} : { DATABASE_URL: made.url })
  }
  const fixtures = await makeFixtures(own, variables)
  const servers: Array<Servers.ListeningServer> = []
  const served = profiles === undefined ? variables : { ...variables, NODE_OPTIONS: profileTo(profiles) }
  for (let count = 0; count < processes; count++) servers.push(await Servers.startServiceProcess(own, served))
  for (const number of [1, 2]) {
    const answer = await fetch(`http://127.0.0.1:${servers[0]!.port}/partner/v1/webhooks`, {
      method: "POST",
      headers: { "x-api-key": fixtures.key, "content-type": "application/json" },
      body: JSON.stringify({ url: `http://127.0.0.1:${ports.receivers}/${number}`, events: ["creator.approved"] })
    })
    if (!answer.ok) throw new Error(`a webhook was answered with ${answer.status}: ${await answer.text()}`)
  }
  return {
    title: `## ours, ${made === undefined ? "SQLite" : "Postgres"}, processes: ${processes}`,
    servers,
    target: { ...fixtures, ports: servers.map(({ port }) => port) },
    ...(made === undefined ? {} : { database: made.database })
  }
}

const startPeer = async (name: string, ports: { readonly smtp: number; readonly receivers: number }): Promise<Side> => {
  const made = cluster === undefined ? undefined : await newDatabase(name)
  const given = made && (await makeFixtures(join(folder, name), { DATABASE_URL: made.url }))
  const peer = await Servers.startProcess(
    [
      join(import.meta.dirname, "story/peer.ts"),
      made?.url ?? join(folder, `${name}.db`),
      String(ports.smtp),
      String(ports.receivers),
      given?.key ?? ""
    ],
    { cwd: folder, env: process.env },
    (line) => (line.startsWith("{") ? (JSON.parse(line).apiRoot as string) : undefined)
  )
  const fixtures = JSON.parse(peer.line) as Servers.ServerFixtures
  return {
    title: `## peer, ${made === undefined ? "SQLite" : "Postgres"}, one process`,
    servers: [peer],
    target: { key: fixtures.key, personaIds: fixtures.personaIds, ports: [peer.port] },
    ...(made === undefined ? {} : { database: made.database })
  }
}

const main = async () => {
  for (const line of Machine.describeMachine(folder)) printLine(line)
  printLine()
  const ports = await said<{ readonly smtp: number; readonly receivers: number }>()
  for (const database of databases) {
    if (database === "postgres") {
      const settings = [...Database.postgresServerSettings, "shared_preload_libraries=pg_stat_statements"]
      cluster = await PostgresServer.startPostgresServer({ settings })
    }
    const theirs = sides.includes("peer") ? await measure(await startPeer("peer", ports)) : Number.NaN
    // On SQLite only one process writes.
    for (const count of sides.includes("ours") ? (database === "sqlite" ? [1] : counts) : []) {
      const own = await measure(await startOurs(`ours${count}`, count, ports))
      printLine(`ratio of stories a second, ours to the peer: ${(own / theirs).toFixed(2)}\n`)
    }
    rmSync(join(folder, "ours1"), { recursive: true, force: true })
  }
}

main().then(
  () => leave(0),
  (error: unknown) => {
    printLine(error instanceof Error ? (error.stack ?? error.message) : String(error))
    return leave(1)
  }
)
