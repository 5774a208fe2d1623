/**
 * Implements the primary process of `serve --processes N`, which forks the other processes and merges the metrics of
 * all processes. The forked processes share one port.
 */
import cluster, { type Worker } from "node:cluster"
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as MergedMetrics from "./MergedMetrics.ts"
import { type MemberToPrimaryMessage, type PrimaryToMemberMessage, processNumberVariable } from "./ProcessGroup.ts"
import type { SupervisedProcess } from "./Supervisor.ts"

/**
 * The primary process kills a process that has not stopped after this time. Running requests and workers normally end
 * before the kill.
 */
const stopTimeout = Duration.seconds(35)

/**
 * The timeout in milliseconds for a process's metrics. If a process does not answer in time, the primary process uses
 * the metrics of the last answer.
 */
const scrapeTimeout = 3000

/**
 * The interval at which the primary process pings each process. The primary process kills a process that does not
 * answer several consecutive pings. The limit is a number of pings instead of a duration: after the machine was
 * suspended, a duration would be exceeded although the processes work.
 */
const pingInterval = Duration.seconds(10)
const maxUnanswered = 3

/** Finds a free port. The primary process chooses the port, because restarted processes must use the same port. */
export const chooseFreePort = (host: string) =>
  Effect.promise(async () => {
    const server = createServer().listen(0, host)
    try {
      await once(server, "listening")
      return (server.address() as AddressInfo).port
    } catch {
      // Ignore the error here, because the first process reports why no process can listen at this address.
      return 0
    } finally {
      server.close()
    }
  })

const hasEnded = ({ process: child }: Worker) => child.exitCode !== null || child.signalCode !== null

const stop = (member: Worker) =>
  Effect.promise(async () => {
    if (hasEnded(member)) return
    const ended = once(member.process, "exit")
    member.process.kill("SIGTERM")
    const late = setTimeout(() => member.process.kill("SIGKILL"), Duration.toMillis(stopTimeout))
    await ended
    clearTimeout(late)
  })

const send = (member: Worker, message: PrimaryToMemberMessage) => {
  // The empty callback ignores the error of sending to a process that has just ended.
  if (member.isConnected()) member.send(message, () => {})
}

/**
 * Makes the function `launch` that starts a member process with the given environment variables. `own` returns the
 * metrics of the primary process. `reportStart` sends `started` to present and later members.
 */
export const makeProcessLauncher = (variables: Readonly<Record<string, string>>, own: Effect.Effect<string>) => {
  const known = new Map<Worker, MergedMetrics.ParsedMetrics>()
  let ended: MergedMetrics.ParsedMetrics = new Map()
  let lastScrape = 0
  let isStarted = false

  const scrape = (member: Worker) =>
    new Promise<void>((resolve) => {
      const id = ++lastScrape
      const done = () => {
        clearTimeout(late)
        member.off("message", receive).off("exit", done)
        resolve()
      }
      const receive = (message: MemberToPrimaryMessage) => {
        if (message.kind !== "scraped" || message.id !== id) return
        known.set(member, MergedMetrics.parsePrometheusText(message.text))
        done()
      }
      const late = setTimeout(done, scrapeTimeout)
      member.on("message", receive).on("exit", done)
      send(member, { kind: "scrape", id })
    })

  const collect = async () => {
    await Promise.all([...known.keys()].map(scrape))
    const primary = MergedMetrics.parsePrometheusText(await Effect.runPromise(own))
    return MergedMetrics.formatPrometheusText(MergedMetrics.mergeMetrics([ended, primary, ...known.values()]))
  }

  const reportStart = Effect.sync(() => {
    isStarted = true
    for (const member of known.keys()) send(member, { kind: "started" })
  })

  const launch = Effect.fnUntraced(function* (number: number) {
    const member = yield* Effect.acquireRelease(
      Effect.sync(() => cluster.fork({ ...variables, [processNumberVariable]: String(number) })),
      stop
    )
    if (isStarted) send(member, { kind: "started" })
    let reason: string | undefined
    let unanswered = 0
    const ping = () => {
      if (unanswered === maxUnanswered) {
        const silence = Duration.format(Duration.times(pingInterval, maxUnanswered))
        reason = `Process ${number} did not respond for ${silence} and was killed.`
        member.process.kill("SIGKILL")
      }
      unanswered++
      send(member, { kind: "ping" })
    }
    let pings: NodeJS.Timeout | undefined
    const isReady = new Promise<void>((resolve) => {
      member.on("message", (message: MemberToPrimaryMessage) => {
        if (message.kind === "ready") {
          known.set(member, new Map())
          pings = setInterval(ping, Duration.toMillis(pingInterval))
          resolve()
        } else if (message.kind === "pong") unanswered = 0
        else if (message.kind === "failed") reason = message.reason
        else if (message.kind === "collect") {
          void collect()
            .catch(() => "")
            .then((text) => send(member, { kind: "collected", id: message.id, text }))
        }
      })
    })
    const end = new Promise<string>((resolve) => {
      const resolveWith = (sentence: string) => {
        clearInterval(pings)
        ended = MergedMetrics.mergeMetrics([ended, MergedMetrics.removeGauges(known.get(member) ?? new Map())])
        known.delete(member)
        resolve(sentence)
      }
      member.on("error", ({ message }) => resolveWith(`Process ${number} cannot be started: ${message}.`))
      member.on("exit", (code, signal) =>
        resolveWith(reason ?? `Process ${number} ended with ${signal ?? `exit code ${code}`}.`)
      )
    })
    return { ready: Effect.promise(() => isReady), ended: Effect.promise(() => end) } satisfies SupervisedProcess
  })
  return { launch, reportStart }
}
