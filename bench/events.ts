/**
 * `node bench/events.ts` measures the path from a creator's approval to the receiver's 2xx, through the whole service
 * on a SQLite file. The benchmark measures the maximum rate in events per second, and the latency of events at half of
 * this rate. The latency is measured without and with a hundred receivers that do not respond. `--quick` takes under
 * half a minute.
 */
import { fork } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { LoadRunOptions, LoadRunOutcome } from "./events/ExternalParties.ts"
import * as Partners from "./events/Partners.ts"
import * as Machine from "./Machine.ts"
import * as Servers from "./Servers.ts"

const quick = process.argv.includes("--quick")
// Without `--quick`, the phase at half of the rate (`half`) takes longer than the timeout of an attempt at a hanging
// receiver.
const plan = quick
  ? { partners: 8, warmUp: 200, burst: 1000, alone: 400, half: 600 }
  : { partners: 8, warmUp: 400, burst: 4000, alone: 1500, half: 4400 }
const hung = { partners: 5, webhooks: 20, events: 6, atOnce: 500 }

const folder = mkdtempSync(join(tmpdir(), "partner-commentary-bench-"))
const externalParties = fork(join(import.meta.dirname, "events/ExternalParties.ts"))
const leave = (code: number) => {
  Servers.killAllServers()
  externalParties.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.exit(code)
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => leave(130))

const print = (line = "") => process.stdout.write(`${line}\n`)

const said = <A>() => new Promise<A>((resolve) => externalParties.once("message", (message) => resolve(message as A)))

const play = async (
  server: Servers.ListeningServer,
  options: Omit<LoadRunOptions, "port">
): Promise<LoadRunOutcome & { processor: number }> => {
  const before = Servers.readProcessorSeconds(server)
  const answer = said<{ readonly outcome?: LoadRunOutcome; readonly failure?: string }>()
  externalParties.send({ ...options, port: server.port } satisfies LoadRunOptions)
  const { failure, outcome } = await answer
  if (outcome === undefined) throw new Error(failure)
  if (outcome.repeats > 0) throw new Error(`${outcome.repeats} events came more than once`)
  return { ...outcome, processor: ((Servers.readProcessorSeconds(server) - before) / options.approvals.length) * 1e6 }
}

const latency = ({ longest, p50, p99, processor }: LoadRunOutcome & { processor: number }) =>
  `median ${p50.toFixed(0).padStart(4)} ms   p99 ${p99.toFixed(0).padStart(4)} ms   longest ${longest.toFixed(0).padStart(4)} ms   processor ${processor.toFixed(0)} µs an event`

const main = async () => {
  for (const line of Machine.describeMachine(folder)) print(line)
  const { port } = await said<{ readonly port: number }>()
  const healthy = plan.warmUp + plan.burst + 2 * plan.half
  const each = Math.ceil(healthy / plan.partners)
  const url = (path: string) => `http://127.0.0.1:${port}/${path}`
  const variables = { WEBHOOK_ALLOW_PRIVATE: "true", LOG_LEVEL: "warn" }
  const server = await Servers.startServiceProcess(folder, variables)
  const made: Array<ReadonlyArray<Partners.CommentaryApproval>> = []
  for (const wanted of [
    ...Array.from({ length: plan.partners }, (_, number) => ({ urls: [url(`well-${number}`)], drafts: each })),
    { urls: [url("alone")], drafts: plan.alone },
    ...Array.from({ length: hung.partners }, (_, number) => ({
      urls: Array.from({ length: hung.webhooks }, (_, webhook) => url(`hung-${number}-${webhook}`)),
      drafts: hung.events
    }))
  ]) {
    made.push(await Partners.prepareApprovals(folder, variables, server, wanted))
  }
  // Interleave the partners, so that every receiver gets events.
  const mixed = Array.from({ length: each }, (_, index) =>
    made.slice(0, plan.partners).flatMap((approvals) => approvals[index] ?? [])
  ).flat()
  const some = (count: number) => mixed.splice(0, count)
  print(`${made.flat().length} drafts wait for approval`)
  print()

  const creators = { creators: 32 }
  await play(server, { approvals: some(plan.warmUp), pace: creators })

  const burst = await play(server, { approvals: some(plan.burst), pace: creators })
  const perSecond = plan.burst / burst.seconds
  print(`Approved as fast as it goes by 32 creators, ${plan.partners} webhooks (aim 500 events/s)`)
  print(`  ${perSecond.toFixed(0)} events/s from the first approval to the last 2xx   ${latency(burst)}`)
  const alone = await play(server, { approvals: made[plan.partners] ?? [], pace: creators })
  print("The same to one webhook, which gets 5 at a time")
  print(`  ${(plan.alone / alone.seconds).toFixed(0)} events/s   ${latency(alone)}`)
  print()

  const half = { perSecond: Math.floor(perSecond / 2) }
  print(`At half of it, ${half.perSecond} approvals/s (aim p99 under 250 ms)`)
  const before = await play(server, { approvals: some(plan.half), pace: half })
  print(`  before               ${latency(before)}`)
  const hanging = made.slice(plan.partners + 1).flat()
  await play(server, { approvals: hanging, pace: creators, hanging: hung.atOnce })
  const amid = await play(server, { approvals: some(plan.half), pace: half })
  print(`  ${hung.partners * hung.webhooks} others hang      ${latency(amid)}`)
  print()
  await Servers.stopServer(server)
}

main().then(
  () => leave(0),
  (error: unknown) => {
    print(error instanceof Error ? (error.stack ?? error.message) : String(error))
    leave(1)
  }
)
