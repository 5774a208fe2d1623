/**
 * Runs the external parties in a separate process: creators that approve at a set rate, and receivers that either
 * accept events immediately or never respond. The parent process sends the approvals over IPC. When every event has
 * arrived, the parent process gets the result with the times of the events.
 */
import { Agent, createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import type { CommentaryApproval } from "./Partners.ts"

export interface LoadRunOptions {
  /** The port on which the service listens. */
  readonly port: number
  /** Each approval produces one event. */
  readonly approvals: ReadonlyArray<CommentaryApproval>
  /** The load: a number of creators in a closed loop, or a fixed number of approvals a second. */
  readonly pace: { readonly creators: number } | { readonly perSecond: number }
  /**
   * If `hanging` is set, the events of this run go to receivers that never respond. The run ends when `hanging`
   * requests hang at the same time.
   */
  readonly hanging?: number
}

export interface LoadRunOutcome {
  /** The time from the first approval's request to the last event's 2xx. */
  readonly seconds: number
  /** The milliseconds from the event's timestamp, which is the time of the approval, to the receiver's 2xx. */
  readonly p50: number
  readonly p99: number
  readonly longest: number
  /** The number of events that arrived more than once. */
  readonly repeats: number
}

const took = new Map<string, number>()
let repeats = 0
let hanging = 0
let last = 0

const receivers = createServer((call, answer) => {
  const chunks: Array<Buffer> = []
  call.on("data", (chunk: Buffer) => chunks.push(chunk))
  call.on("end", () => {
    if (call.url?.startsWith("/hung")) {
      hanging += 1
      call.socket.once("close", () => {
        hanging -= 1
      })
      return
    }
    answer.writeHead(204).end()
    const { id, timestamp } = JSON.parse(Buffer.concat(chunks).toString()) as { id: string; timestamp: string }
    last = performance.now()
    if (took.has(id)) repeats += 1
    else took.set(id, Date.now() - Date.parse(timestamp))
  })
})

// The HTTP agent closes idle connections before the service closes them.
const agent = new Agent({ keepAlive: true, maxSockets: 128, timeout: 1000 })

const approve = (port: number, { key, path }: CommentaryApproval) =>
  new Promise<void>((resolve, reject) => {
    const call = request(
      {
        agent,
        port,
        host: "127.0.0.1",
        method: "POST",
        path,
        headers: { "x-api-key": key, "content-type": "application/json", "content-length": 2 }
      },
      (response) => {
        response.resume().on("end", () => {
          if (response.statusCode === 200) resolve()
          else reject(new Error(`an approval was answered with ${response.statusCode}`))
        })
      }
    )
    call.on("error", reject)
    call.end("{}")
  })

const approveAll = async ({ approvals, pace, port }: LoadRunOptions) => {
  if ("creators" in pace) {
    const left = approvals.values()
    const one = async () => {
      for (const approval of left) await approve(port, approval)
    }
    return Promise.all(Array.from({ length: pace.creators }, one))
  }
  const begun = performance.now()
  const all: Array<Promise<void>> = []
  while (all.length < approvals.length) {
    const due = Math.min(approvals.length, Math.floor(((performance.now() - begun) * pace.perSecond) / 1000) + 1)
    for (const approval of approvals.slice(all.length, due)) {
      const one = approve(port, approval)
      // This handler only prevents an unhandled rejection, because `Promise.all` rejects with the error later.
      one.catch(() => {})
      all.push(one)
    }
    await sleep(2)
  }
  return Promise.all(all)
}

const until = async (what: string, holds: () => boolean) => {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(5)) if (holds()) return
  throw new Error(`${what}: not within a minute`)
}

const play = async (options: LoadRunOptions): Promise<LoadRunOutcome> => {
  took.clear()
  repeats = 0
  const begun = performance.now()
  await approveAll(options)
  if (options.hanging !== undefined) await until("hanging receivers", () => hanging >= (options.hanging ?? 0))
  else await until("every event", () => took.size >= options.approvals.length)
  const sorted = Float64Array.from(took.values()).sort()
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  return { seconds: (last - begun) / 1000, p50: at(0.5), p99: at(0.99), longest: at(1), repeats }
}

process.on("message", (options: LoadRunOptions) => {
  play(options).then(
    (outcome) => process.send?.({ outcome }),
    (error: unknown) => process.send?.({ failure: String(error) })
  )
})

receivers.listen(0, "127.0.0.1", () => process.send?.({ port: (receivers.address() as AddressInfo).port }))
