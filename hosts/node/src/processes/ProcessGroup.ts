/**
 * Implements the forked processes of `serve --processes N`, which are called members and exchange messages with the
 * primary process.
 */
import cluster from "node:cluster"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * A message from a member process to the primary process. In a `failed` message, `reason` is a sentence that says why
 * the member process exits.
 */
export type MemberToPrimaryMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "collect"; readonly id: number }
  | { readonly kind: "scraped"; readonly id: number; readonly text: string }
  | { readonly kind: "pong" }

/**
 * A message from the primary process to a member. `scrape` requests the member's metrics, `collected` returns the
 * merged metrics of all processes, and `ping` requests a `pong`. `started` says that all processes listen.
 */
export type PrimaryToMemberMessage =
  | { readonly kind: "scrape"; readonly id: number }
  | { readonly kind: "collected"; readonly id: number; readonly text: string }
  | { readonly kind: "ping" }
  | { readonly kind: "started" }

export class ClusterMembership extends Context.Reference<{
  /** True in a process that the primary process has started. Only the primary process logs the start and the stop. */
  readonly isMember: boolean
  /** Returns false until all processes of the command listen for the first time. */
  readonly isStarted: () => boolean
  /** Returns the metrics of all processes in Prometheus's text format. `own` returns the metrics of this process. */
  readonly shareMetrics: (own: Effect.Effect<string>) => Effect.Effect<Effect.Effect<string>>
}>("@partner-commentary/reference/ClusterMembership", {
  defaultValue: () => ({ isMember: false, isStarted: () => true, shareMetrics: Effect.succeed })
}) {}

export const isClusterMember = (): boolean => cluster.isWorker

/** The environment variable with the number of the process. The process's log lines also contain the process number. */
export const processNumberVariable = "PARTNER_COMMENTARY_PROCESS"

const send = (message: MemberToPrimaryMessage) =>
  Effect.callback<void>((resume) => {
    // If the connection to the primary process is closed, the primary process has ended.
    if (process.connected) process.send?.(message, undefined, undefined, () => resume(Effect.void))
    else resume(Effect.void)
  })

export const sendReady = send({ kind: "ready" })

const shareMetrics = (own: Effect.Effect<string>) =>
  Effect.gen(function* () {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const waiting = new Map<number, (text: string) => void>()
    let last = 0
    process.on("message", (message: PrimaryToMemberMessage) => {
      if (message.kind === "collected") waiting.get(message.id)?.(message.text)
      else if (message.kind === "scrape") {
        run(Effect.flatMap(own, (text) => send({ kind: "scraped", id: message.id, text })))
      }
    })
    return Effect.suspend(() => {
      const id = ++last
      const collected = Effect.callback<string>((resume) => {
        waiting.set(id, (text) => resume(Effect.succeed(text)))
      })
      return Effect.ensuring(
        Effect.andThen(send({ kind: "collect", id }), collected),
        Effect.sync(() => waiting.delete(id))
      )
    })
  })

/** Reports the failure to the primary process, so that all processes together print only one sentence. */
const sendFailure = (cause: Cause.Cause<unknown>, describe: (failure: unknown) => string) =>
  Cause.hasInterruptsOnly(cause)
    ? Effect.interrupt
    : Effect.gen(function* () {
        yield* send({ kind: "failed", reason: describe(Cause.squash(cause)) })
        process.exitCode = 1
        return yield* Effect.interrupt
      })

/**
 * If the primary process dies, the member stops as on SIGTERM. By default, Node would end the member immediately,
 * without a clean stop.
 */
const stopWithoutPrimary = Effect.sync(() =>
  cluster.worker?.once("disconnect", () => {
    if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true
    process.kill(process.pid, "SIGTERM")
  })
)

/** Answers pings, and returns whether the primary process has sent `started`. */
const followPrimary = Effect.sync(() => {
  let isStarted = false
  process.on("message", ({ kind }: PrimaryToMemberMessage) => {
    if (kind === "ping") Effect.runFork(send({ kind: "pong" }))
    else if (kind === "started") isStarted = true
  })
  return () => isStarted
})

/** Runs the effect in a member process, and reports a failure to the primary process. */
export const runAsMember = <A, E, R>(run: Effect.Effect<A, E, R>, describe: (failure: unknown) => string) =>
  Effect.flatMap(Effect.andThen(stopWithoutPrimary, followPrimary), (isStarted) =>
    Effect.provideService(run, ClusterMembership, { isMember: true, isStarted, shareMetrics })
  ).pipe(
    Effect.catchCause((cause) => sendFailure(cause, describe)),
    Effect.annotateLogs("process", process.env[processNumberVariable])
  )
