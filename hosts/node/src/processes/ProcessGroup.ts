/** The processes of one `serve`, as each of them sees the others. A process alone is its own group. */
import cluster from "node:cluster"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** A message of a member to the primary process. `failed` has the sentence that says why the member ends. */
export type FromMember =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "collect"; readonly id: number }
  | { readonly kind: "scraped"; readonly id: number; readonly text: string }
  | { readonly kind: "pong" }

/**
 * A message of the primary process: it asks for the metrics of this process or for any answer, or returns the metrics of
 * all.
 */
export type FromPrimary =
  | { readonly kind: "scrape"; readonly id: number }
  | { readonly kind: "collected"; readonly id: number; readonly text: string }
  | { readonly kind: "ping" }

export class ProcessGroup extends Context.Reference<{
  /** The primary writes the log lines of the start and of the stop. */
  readonly isMember: boolean
  /** Returns the metrics of all processes as Prometheus's text. `own` returns those of this process. */
  readonly shareMetrics: (own: Effect.Effect<string>) => Effect.Effect<Effect.Effect<string>>
}>("@partner-commentary/reference/ProcessGroup", {
  defaultValue: () => ({ isMember: false, shareMetrics: Effect.succeed })
}) {}

export const isMember = (): boolean => cluster.isWorker

/** The variable with the number of the process, which its log lines have as well. */
export const numberVariable = "PARTNER_COMMENTARY_PROCESS"

const send = (message: FromMember) =>
  Effect.callback<void>((resume) => {
    // Without a connection the primary process has ended.
    if (process.connected) process.send?.(message, undefined, undefined, () => resume(Effect.void))
    else resume(Effect.void)
  })

export const sendReady = send({ kind: "ready" })

const shareMetrics = (own: Effect.Effect<string>) =>
  Effect.gen(function* () {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const waiting = new Map<number, (text: string) => void>()
    let last = 0
    process.on("message", (message: FromPrimary) => {
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

/** The primary process reports the failure, so that all processes together print one sentence. */
const sendFailure = (cause: Cause.Cause<unknown>, describe: (failure: unknown) => string) =>
  Cause.hasInterruptsOnly(cause)
    ? Effect.interrupt
    : Effect.gen(function* () {
        yield* send({ kind: "failed", reason: describe(Cause.squash(cause)) })
        process.exitCode = 1
        return yield* Effect.interrupt
      })

/** If the primary process dies, the member stops as on SIGTERM instead of exiting at once, which is Node's default. */
const stopWithoutPrimary = Effect.sync(() =>
  cluster.worker?.once("disconnect", () => {
    if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true
    process.kill(process.pid, "SIGTERM")
  })
)

const answerPings = Effect.sync(() =>
  process.on("message", ({ kind }: FromPrimary) => {
    if (kind === "ping") Effect.runFork(send({ kind: "pong" }))
  })
)

/** Runs as a member of the group. */
export const runAsMember = <A, E, R>(run: Effect.Effect<A, E, R>, describe: (failure: unknown) => string) =>
  Effect.andThen(Effect.andThen(stopWithoutPrimary, answerPings), run).pipe(
    Effect.catchCause((cause) => sendFailure(cause, describe)),
    Effect.provideService(ProcessGroup, { isMember: true, shareMetrics }),
    Effect.annotateLogs("process", process.env[numberVariable])
  )
