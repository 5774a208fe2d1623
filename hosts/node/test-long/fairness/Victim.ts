/**
 * A process that continuously makes a partner's usual requests: status polls, new topics and pages of events. Each kind
 * of request has its own loop, so that a slow response delays only requests of the same kind. The command is
 * `node Victim.ts SCENE.json ROOT PID_OF_SERVICE`.
 */
import { readFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { Agent, request } from "node:http"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { FairnessSetup } from "./Seed.ts"

/** The victim's measurements since the test's start message. All times are in milliseconds. */
export interface VictimMeasurements {
  /** The time of the slowest response, including requests that are still in flight. */
  readonly worst: number
  /**
   * The slowest response time, minus the time for which the service or the victim waited for a processor or the disk.
   */
  readonly worstRunning: number
  readonly slowest: string
  readonly answers: number
  /** The number of responses with a 5xx status. */
  readonly failed: number
  /** The messages of other unsuccessful responses and of broken connections. */
  readonly refused: ReadonlyArray<string>
}

const [file = "", root = "", service = ""] = process.argv.slice(2)
const { victim } = JSON.parse(readFileSync(file, "utf8")) as FairnessSetup
const { hostname, port } = new URL(root)
const agent = new Agent({ keepAlive: true })

const nothing = { worst: 0, worstRunning: 0, slowest: "", answers: 0, failed: 0 }
let seen = { ...nothing, refused: [] as Array<string> }
let pid = service
const waiting = new Map<string, RequestStart>()
let made = 0
let topic = victim.topic

interface RequestStart {
  readonly at: number
  readonly queued: ReadonlyArray<number>
}

/**
 * Milliseconds for which the main threads of the service and of this process were ready to run but had no processor.
 */
const queuedTimes = (): ReadonlyArray<number> =>
  [pid, String(process.pid)].map((each) => {
    try {
      return Number(readFileSync(`/proc/${each}/task/${each}/schedstat`, "utf8").split(" ")[1]) / 1e6
    } catch {
      return 0
    }
  })

interface Flush {
  readonly from: number
  readonly to: number
}

/** The most recent slow disk flushes of this process. */
const slowFlushes: Array<Flush> = []
let flushStartedAt = Number.POSITIVE_INFINITY

/**
 * The time in milliseconds above which a disk flush counts as slow, which is more than a flush takes on an idle disk.
 */
const slowFlush = 20

/** Repeatedly flushes a page of a separate file to the disk that also holds the service's database. */
const watchDisk = async () => {
  const handle = await open(join(dirname(file), "flushed"), "w")
  const page = Buffer.alloc(4096)
  for (;;) {
    flushStartedAt = performance.now()
    await handle.write(page, 0, page.length, 0)
    await handle.sync()
    const to = performance.now()
    if (to - flushStartedAt > slowFlush) slowFlushes.push({ from: flushStartedAt, to })
    if (slowFlushes.length > 1000) slowFlushes.shift()
    flushStartedAt = Number.POSITIVE_INFINITY
    await sleep(25)
  }
}

/** Returns for how many milliseconds since `at` a flush of this process waited for the disk. */
const diskWait = (at: number, now: number): number => {
  const running = now - flushStartedAt > slowFlush ? [{ from: flushStartedAt, to: now }] : []
  return [...slowFlushes, ...running].reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, at)), 0)
}

const note = (kind: string, { at, queued }: RequestStart) => {
  const now = performance.now()
  const took = now - at
  // The service and the victim's process may wait at the same time, so only the longer wait is subtracted from the
  // response time.
  const processorWait = Math.max(0, ...queuedTimes().map((total, index) => total - (queued[index] ?? total)))
  const running = took - Math.max(processorWait, diskWait(at, now))
  if (took > seen.worst) Object.assign(seen, { worst: took, slowest: kind })
  if (running > seen.worstRunning) seen.worstRunning = running
}

const ask = (kind: string, method: string, path: string, body?: string) =>
  new Promise<string>((resolve) => {
    const began = { at: performance.now(), queued: queuedTimes() }
    waiting.set(kind, began)
    const done = (outcome: string, text = "") => {
      waiting.delete(kind)
      note(kind, began)
      seen.answers++
      if (outcome.startsWith("5")) seen.failed++
      else if (!outcome.startsWith("2")) seen.refused.push(`${kind}: ${outcome}`)
      resolve(text)
    }
    const headers = {
      "x-api-key": victim.live[0],
      ...(body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    }
    // Open a new connection for each POST request, so that the measurement includes the wait behind other new
    // connections.
    const kept = body === undefined ? agent : false
    const asked = request({ agent: kept, hostname, port, method, path: `/partner/v1${path}`, headers }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (part) => (text += part))
      response.on("end", () => done(String(response.statusCode), text))
    })
    asked.on("error", ({ message }) => done(message))
    asked.end(body)
  })

const kinds: Readonly<Record<string, () => Promise<void>>> = {
  "GET status": async () => void (await ask("GET status", "GET", `/topics/${topic}/status`)),
  "POST topics": async () => {
    const content = `Who wins the victim's match ${++made} of ${process.pid}?`
    const body = JSON.stringify({ content, persona_ids: victim.personas })
    const text = await ask("POST topics", "POST", "/topics", body)
    if (text !== "") topic = JSON.parse(text).data?.topic_id ?? topic
  },
  "GET events": async () => void (await ask("GET events", "GET", "/events"))
}

process.on("message", (word) => {
  if (typeof word === "number") {
    pid = String(word)
    return
  }
  if (word === "begin") seen = { ...nothing, refused: [] }
  for (const [kind, began] of waiting) note(kind, began)
  process.send?.(seen satisfies VictimMeasurements)
})
process.on("disconnect", () => process.exit())

void watchDisk()

for (const once of Object.values(kinds)) {
  void (async () => {
    for (;;) {
      await once()
      await sleep(50)
    }
  })()
}
