/**
 * `npm run bench` measures the product and the peer, a small hand-written service with the same endpoints, in one run
 * on one machine. The command prints the ratios of the results. For the meaning of the printed rows, see
 * bench/README.md. `--quick` takes about a minute.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  compareServers,
  hourLongLoadRound,
  type LoadRoundOptions,
  median,
  printLine,
  runLoadRound,
  startLoadGenerator,
  unlimitedLoadRound
} from "./Compare.ts"
import { makeFixtures } from "./Fixtures.ts"
import type { LoadRound } from "./load.ts"
import * as Machine from "./Machine.ts"
import * as Servers from "./Servers.ts"

const quick = process.argv.includes("--quick")
const plan = quick
  ? { rounds: 4, seconds: 1.2, warmUp: 1.5, memory: [5000, 10_000, 20_000], starts: 3 }
  : { rounds: 8, seconds: 2.5, warmUp: 3, memory: [10_000, 50_000, 100_000], starts: 5 }
const folder = mkdtempSync(join(tmpdir(), "partner-commentary-bench-"))
const leave = (code: number) => {
  Servers.killAllServers()
  generator.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.exit(code)
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => leave(130))
setTimeout(() => {
  printLine("Gave up: longer than six minutes.")
  leave(1)
}, 360_000).unref()

const generator = startLoadGenerator()
const play = (server: Pick<Servers.BenchmarkServer, "port" | "key">, sent: LoadRoundOptions) =>
  runLoadRound(generator, server, sent)

const posts = ({ personaIds }: Servers.ServerFixtures): LoadRound["send"] => ({ kind: "post", personaIds })

const collect = async (server: Servers.BenchmarkServer) => {
  const sent = { ...hourLongLoadRound, requests: 1000, collect: 1000, send: posts(server) }
  return (await play(server, sent)).topicIds
}

/** Sends four status requests for each POST, and prints the memory use after given numbers of requests. */
const watchMemory = async (server: Servers.BenchmarkServer) => {
  const seen = [`start ${Servers.readMemoryMegabytes(server).toFixed(0)}`]
  const highest: Array<number> = []
  const topicIds = await collect(server)
  const block = plan.memory[0]! / 2
  for (let requests = 1000; requests < plan.memory.at(-1)!; ) {
    const goal = Math.min(requests + block, plan.memory.find((count) => count > requests)!)
    const number = Math.round((goal - requests) / 5)
    await play(server, { ...hourLongLoadRound, requests: number, send: posts(server) })
    const send = { kind: "get" as const, topicIds }
    await play(server, { ...hourLongLoadRound, requests: goal - requests - number, send })
    requests = goal
    highest.push(Servers.readMemoryMegabytes(server))
    if (plan.memory.includes(goal))
      seen.push(`${goal.toLocaleString("en")}: ${Servers.readMemoryMegabytes(server).toFixed(0)}`)
  }
  printLine(
    "Memory, resident, in MB, after so many requests (one POST to four status look-ups; aim under 150 and flat)"
  )
  printLine(`  ${seen.join("   ")}   highest seen ${Math.max(...highest).toFixed(0)}`)
  printLine()
}

const main = async () => {
  // Without a fresh bundle the product would run from its sources, which start more slowly and need more memory.
  execFileSync(process.execPath, [join(import.meta.dirname, "../scripts/bundle.ts")], { stdio: "ignore" })
  for (const line of Machine.describeMachine(folder)) printLine(line)
  const constant = await Machine.startConstantServer()
  const ceiling = await play({ ...constant, key: "-" }, { ...unlimitedLoadRound, seconds: 2, send: { kind: "root" } })
  constant.stop()
  printLine(
    `the generator against a constant answer: ${ceiling.perSecond.toFixed(0)}/s, with ${(ceiling.clientCpu * 100).toFixed(0)} % of a core of its own`
  )
  printLine()

  const fixtures = await makeFixtures(folder)
  const peer = await Servers.startPeer(folder)
  const ours = await Servers.startService(folder, fixtures, "--no-worker")
  await compareServers(generator, plan, "POST /topics, 3 personas", 1, peer, ours, posts)
  const topicIds = new Map([
    [peer, await collect(peer)],
    [ours, await collect(ours)]
  ])
  const reads = (server: Servers.BenchmarkServer): LoadRound["send"] => ({
    kind: "get",
    topicIds: topicIds.get(server) ?? []
  })
  await compareServers(generator, plan, "GET /topics/{id}/status", 0.8, peer, ours, reads)
  await Servers.stopServer(ours)

  const fresh = await Servers.startService(folder, fixtures, "--no-worker")
  await watchMemory(fresh)
  await Servers.stopServer(fresh)

  const starts: Array<number> = []
  for (let count = 0; count < plan.starts; count++) {
    const server = await Servers.startService(folder, fixtures)
    starts.push(server.startedIn)
    await Servers.stopServer(server)
  }
  printLine(`Start to ready, on the database that the rounds left: median of ${plan.starts} (aim under 1000 ms)`)
  printLine(`  ${median(starts).toFixed(0)} ms   (${starts.map((time) => time.toFixed(0)).join(", ")})`)
  printLine()

  const worked = join(folder, "worked")
  const working = await Servers.startService(worked, await makeFixtures(worked))
  await compareServers(
    generator,
    plan,
    "POST /topics, 3 personas, ours with its worker mailing into the outbox",
    null,
    peer,
    working,
    posts
  )
  printLine(`  memory of ours then: ${Servers.readMemoryMegabytes(working).toFixed(0)} MB`)
  await Servers.stopServer(working)
  await Servers.stopServer(peer)
}

main().then(
  () => leave(0),
  (error: unknown) => {
    printLine(error instanceof Error ? error.message : String(error))
    leave(1)
  }
)
