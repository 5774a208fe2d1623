/** Compares two servers: rounds of load alternate between them, and the results are ratios. */
import { type ChildProcess, fork } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeFixtures } from "./Fixtures.ts"
import type { LoadRound, LoadRoundOutcome } from "./load.ts"
import * as Machine from "./Machine.ts"
import * as Servers from "./Servers.ts"

export const printLine = (line = "") => process.stdout.write(`${line}\n`)

export const connectionCount = 32

export interface BenchmarkPlan {
  readonly rounds: number
  readonly seconds: number
  readonly warmUp: number
}

export const startLoadGenerator = (): ChildProcess => fork(join(import.meta.dirname, "load.ts"))

export type LoadRoundOptions = Omit<LoadRound, "port" | "key">
export const unlimitedLoadRound = { connections: connectionCount, requests: Number.MAX_SAFE_INTEGER, collect: 0 }
export const hourLongLoadRound = { connections: connectionCount, seconds: 3600, collect: 0 }

export const runLoadRound = (
  generator: ChildProcess,
  server: Pick<Servers.BenchmarkServer, "port" | "key">,
  sent: LoadRoundOptions
): Promise<LoadRoundOutcome> =>
  new Promise((resolve, reject) => {
    generator.once("message", (answer: { readonly outcome?: LoadRoundOutcome; readonly failure?: string }) => {
      if (answer.outcome === undefined) return reject(new Error(answer.failure))
      const { firstRefusal, refused } = answer.outcome
      if (refused > 0) return reject(new Error(`${refused} requests were refused, the first with: ${firstRefusal}`))
      resolve(answer.outcome)
    })
    generator.send({ ...sent, port: server.port, key: server.key })
  })

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

interface Side {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** The server's CPU time for one request, in microseconds. */
  readonly processor: number
}

const summarize = (rounds: ReadonlyArray<Side>): Side => ({
  perSecond: median(rounds.map((round) => round.perSecond)),
  p50: median(rounds.map((round) => round.p50)),
  p99: median(rounds.map((round) => round.p99)),
  processor: median(rounds.map((round) => round.processor))
})

/**
 * Runs rounds on both servers in turn and changes their order, so that changes in the machine's speed affect both
 * servers. During a round, the process of the other server is paused.
 */
export const compareServers = async (
  generator: ChildProcess,
  plan: BenchmarkPlan,
  title: string,
  aim: number | null,
  peer: Servers.BenchmarkServer,
  ours: Servers.BenchmarkServer,
  send: (server: Servers.BenchmarkServer) => LoadRound["send"]
) => {
  const measure = async (server: Servers.BenchmarkServer, seconds: number): Promise<Side> => {
    const other = server === ours ? peer : ours
    other.process.kill("SIGSTOP")
    const before = Servers.readProcessorSeconds(server)
    const outcome = await runLoadRound(generator, server, { ...unlimitedLoadRound, seconds, send: send(server) })
    const processor = ((Servers.readProcessorSeconds(server) - before) / outcome.requests) * 1e6
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
  printLine(`${title}`)
  for (const [name, side] of [["peer", theirs] as const, ["ours", own] as const]) {
    printLine(
      `  ${name}  ${side.perSecond.toFixed(0).padStart(6)}/s   p50 ${side.p50.toFixed(1).padStart(5)} ms   ` +
        `p99 ${side.p99.toFixed(1).padStart(6)} ms   processor ${side.processor.toFixed(0).padStart(5)} µs`
    )
  }
  const spread = `${Math.min(...single).toFixed(2)} to ${Math.max(...single).toFixed(2)}`
  printLine(`  ratio ${ratio.toFixed(2)}   (single rounds ${spread}${aim === null ? "" : `; aim ${aim.toFixed(1)}`})`)
  printLine()
}

/** Compares one kind of request. `sendOf` gets a server and the ids of its 200 topics. */
export type CompareRequests = (
  title: string,
  aim: number | null,
  sendOf: (server: Servers.BenchmarkServer, topicIds: ReadonlyArray<string>) => LoadRound["send"]
) => Promise<void>

/**
 * Starts the peer and our server on new SQLite files, creates 200 topics on each server, runs the comparisons and
 * removes the files. With `--quick` on the command line, the comparisons run fewer and shorter rounds.
 */
export const compareWithPeer = async (
  start: (folder: string, fixtures: Servers.ServerFixtures) => Promise<Servers.ListeningServer>,
  compareAll: (compare: CompareRequests) => Promise<void>
): Promise<void> => {
  const plan = process.argv.includes("--quick")
    ? { rounds: 4, seconds: 1.2, warmUp: 1.5 }
    : { rounds: 8, seconds: 2.5, warmUp: 3 }
  const folder = mkdtempSync(join(tmpdir(), "partner-commentary-bench-"))
  const generator = startLoadGenerator()
  try {
    for (const line of Machine.describeMachine(folder)) printLine(line)
    printLine()
    const fixtures = await makeFixtures(folder)
    const peer = await Servers.startPeer(folder)
    const ours = { ...(await start(folder, fixtures)), ...fixtures }
    const topicIds = new Map<Servers.BenchmarkServer, ReadonlyArray<string>>()
    for (const server of [peer, ours]) {
      const send = { kind: "post", personaIds: server.personaIds } as const
      const sent = { ...hourLongLoadRound, requests: 200, collect: 200, send }
      topicIds.set(server, (await runLoadRound(generator, server, sent)).topicIds)
    }
    await compareAll((title, aim, sendOf) =>
      compareServers(generator, plan, title, aim, peer, ours, (server) => sendOf(server, topicIds.get(server) ?? []))
    )
  } finally {
    Servers.killAllServers()
    generator.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
