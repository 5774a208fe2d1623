/**
 * `npm run bench`: the product beside a hand-written peer, in one run on one machine, as ratios. What each row means is
 * in README.md. `--quick` takes about a minute and says less.
 */
import { fork } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Outcome, Round } from "./load.ts"
import * as Machine from "./Machine.ts"
import * as Servers from "./Servers.ts"

const quick = process.argv.includes("--quick")
const plan = quick
  ? { rounds: 4, seconds: 1.2, warmUp: 1.5, memory: [5000, 10_000, 20_000], starts: 3 }
  : { rounds: 8, seconds: 2.5, warmUp: 3, memory: [10_000, 50_000, 100_000], starts: 5 }
const connections = 32

const folder = mkdtempSync(join(tmpdir(), "partner-commentary-bench-"))
const generator = fork(join(import.meta.dirname, "load.ts"))
const leave = (code: number) => {
  Servers.killAll()
  generator.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.exit(code)
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => leave(130))
setTimeout(() => {
  print("Gave up: longer than six minutes.")
  leave(1)
}, 360_000).unref()

const print = (line = "") => process.stdout.write(`${line}\n`)

type Sent = Omit<Round, "port" | "key">
const everlasting = { connections, requests: Number.MAX_SAFE_INTEGER, collect: 0 }
const unhurried = { connections, seconds: 3600, collect: 0 }

const play = (server: Pick<Servers.Server, "port" | "key">, sent: Sent): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    generator.once("message", (answer: { readonly outcome?: Outcome; readonly failure?: string }) => {
      if (answer.outcome === undefined) return reject(new Error(answer.failure))
      const { firstRefusal, refused } = answer.outcome
      if (refused > 0) return reject(new Error(`${refused} requests were refused, the first with: ${firstRefusal}`))
      resolve(answer.outcome)
    })
    generator.send({ ...sent, port: server.port, key: server.key })
  })

const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

interface Side {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Microseconds of the server's processor time for one request. */
  readonly processor: number
}

const summarize = (rounds: ReadonlyArray<Side>): Side => ({
  perSecond: median(rounds.map((round) => round.perSecond)),
  p50: median(rounds.map((round) => round.p50)),
  p99: median(rounds.map((round) => round.p99)),
  processor: median(rounds.map((round) => round.processor))
})

/** Rounds in turn, each side first as often as second, so that a drift of the machine hits both; the other side stands still. */
const compare = async (
  title: string,
  aim: number | null,
  peer: Servers.Server,
  ours: Servers.Server,
  send: (server: Servers.Server) => Round["send"]
) => {
  const measure = async (server: Servers.Server, seconds: number): Promise<Side> => {
    const other = server === ours ? peer : ours
    other.process.kill("SIGSTOP")
    const before = Servers.processorTime(server)
    const outcome = await play(server, { ...everlasting, seconds, send: send(server) })
    const processor = ((Servers.processorTime(server) - before) / outcome.requests) * 1e6
    other.process.kill("SIGCONT")
    return { ...outcome, processor }
  }
  await measure(peer, plan.warmUp)
  await measure(ours, plan.warmUp)
  const rounds: Array<{ readonly peer: Side; readonly ours: Side }> = []
  for (let round = 0; round < plan.rounds; round++) {
    if (round % 2 === 0) {
      const first = await measure(peer, plan.seconds)
      rounds.push({ peer: first, ours: await measure(ours, plan.seconds) })
    } else {
      const first = await measure(ours, plan.seconds)
      rounds.push({ ours: first, peer: await measure(peer, plan.seconds) })
    }
  }
  const [theirs, own] = [summarize(rounds.map(({ peer }) => peer)), summarize(rounds.map(({ ours }) => ours))]
  const single = rounds.map((round) => round.ours.perSecond / round.peer.perSecond)
  const ratio = own.perSecond / theirs.perSecond
  print(`${title}`)
  for (const [name, side] of [["peer", theirs] as const, ["ours", own] as const]) {
    print(
      `  ${name}  ${side.perSecond.toFixed(0).padStart(6)}/s   p50 ${side.p50.toFixed(1).padStart(5)} ms   ` +
        `p99 ${side.p99.toFixed(1).padStart(6)} ms   processor ${side.processor.toFixed(0).padStart(5)} µs`
    )
  }
  const spread = `${Math.min(...single).toFixed(2)} to ${Math.max(...single).toFixed(2)}`
  print(`  ratio ${ratio.toFixed(2)}   (single rounds ${spread}${aim === null ? "" : `; aim ${aim.toFixed(1)}`})`)
  print()
}

const posts = ({ personaIds }: Servers.Fixtures): Round["send"] => ({ kind: "post", personaIds })

const collect = async (server: Servers.Server) => {
  const sent = { ...unhurried, requests: 1000, collect: 1000, send: posts(server) }
  return (await play(server, sent)).topicIds
}

/** One POST to four status look-ups, and the memory after so many of both. */
const watchMemory = async (server: Servers.Server) => {
  const seen = [`start ${Servers.memory(server).toFixed(0)}`]
  const highest: Array<number> = []
  const topicIds = await collect(server)
  const block = plan.memory[0]! / 2
  for (let requests = 1000; requests < plan.memory.at(-1)!; ) {
    const goal = Math.min(requests + block, plan.memory.find((count) => count > requests)!)
    const number = Math.round((goal - requests) / 5)
    await play(server, { ...unhurried, requests: number, send: posts(server) })
    const send = { kind: "get" as const, topicIds }
    await play(server, { ...unhurried, requests: goal - requests - number, send })
    requests = goal
    highest.push(Servers.memory(server))
    if (plan.memory.includes(goal)) seen.push(`${goal.toLocaleString("en")}: ${Servers.memory(server).toFixed(0)}`)
  }
  print("Memory, resident, in MB, after so many requests (one POST to four status look-ups; aim under 150 and flat)")
  print(`  ${seen.join("   ")}   highest seen ${Math.max(...highest).toFixed(0)}`)
  print()
}

const main = async () => {
  for (const line of Machine.facts(folder)) print(line)
  const constant = await Machine.constantServer()
  const ceiling = await play({ ...constant, key: "-" }, { ...everlasting, seconds: 2, send: { kind: "root" } })
  constant.stop()
  print(
    `the generator against a constant answer: ${ceiling.perSecond.toFixed(0)}/s, with ${(ceiling.clientCpu * 100).toFixed(0)} % of a core of its own`
  )
  print()

  const fixtures = await Servers.makeFixtures(folder)
  const peer = await Servers.startPeer(folder)
  const ours = await Servers.startOurs(folder, fixtures, "--no-worker")
  await compare("POST /topics, 3 personas", 1, peer, ours, posts)
  const topicIds = new Map([
    [peer, await collect(peer)],
    [ours, await collect(ours)]
  ])
  const reads = (server: Servers.Server): Round["send"] => ({ kind: "get", topicIds: topicIds.get(server) ?? [] })
  await compare("GET /topics/{id}/status", 0.8, peer, ours, reads)
  await Servers.stop(ours)

  const fresh = await Servers.startOurs(folder, fixtures, "--no-worker")
  await watchMemory(fresh)
  await Servers.stop(fresh)

  const starts: Array<number> = []
  for (let count = 0; count < plan.starts; count++) {
    const server = await Servers.startOurs(folder, fixtures)
    starts.push(server.startedIn)
    await Servers.stop(server)
  }
  print(`Start to ready, on the database that the rounds left: median of ${plan.starts} (aim under 1000 ms)`)
  print(`  ${median(starts).toFixed(0)} ms   (${starts.map((time) => time.toFixed(0)).join(", ")})`)
  print()

  const worked = join(folder, "worked")
  const working = await Servers.startOurs(worked, await Servers.makeFixtures(worked))
  await compare("POST /topics, 3 personas, ours with its worker mailing into the outbox", null, peer, working, posts)
  print(`  memory of ours then: ${Servers.memory(working).toFixed(0)} MB`)
  await Servers.stop(working)
  await Servers.stop(peer)
}

main().then(
  () => leave(0),
  (error: unknown) => {
    print(error instanceof Error ? error.message : String(error))
    leave(1)
  }
)
