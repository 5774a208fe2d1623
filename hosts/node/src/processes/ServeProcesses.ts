/**
 * Runs `serve` in one process or in several processes. Only the processes that serve requests load the server's
 * modules.
 */
import * as Settings from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import { describeFailure } from "../cli/CommandLine.ts"
import * as Lifecycle from "../server/Lifecycle.ts"
import * as Logs from "../telemetry/Logs.ts"
import * as ProcessMetrics from "../telemetry/ProcessMetrics.ts"
import * as Primary from "./Primary.ts"
import { resolveProcessCount } from "./ProcessCount.ts"
import * as ProcessGroup from "./ProcessGroup.ts"
import { processRestartCounter, superviseProcesses } from "./Supervisor.ts"

interface Options<R> extends Lifecycle.ServeOptions<R> {
  /** The number of processes from the command line. */
  readonly processes: Option.Option<number>
}

/** Serves requests until the effect is interrupted. */
export const serveInProcesses = Effect.fnUntraced(function* <R>(options: Options<R>) {
  if (ProcessGroup.isClusterMember()) {
    const member = serveAlone({ work: options.work, announce: () => ProcessGroup.sendReady })
    return yield* ProcessGroup.runAsMember(member, describeFailure)
  }
  const count = yield* resolveProcessCount(yield* Settings.readSettings, options.processes)
  return yield* count === 1 ? serveAlone(options) : serveTogether(count, options)
})

const serveAlone = <R>(options: Lifecycle.ServeOptions<R>) =>
  Effect.flatMap(
    Effect.promise(() => import("../server/Service.ts")),
    ({ serve }) => serve(options)
  )

const serveTogether = <R>(count: number, { announce }: Options<R>) =>
  Lifecycle.runLongLivedProcess(
    Effect.fnUntraced(function* (settings) {
      const { admin, listen } = settings
      const port = yield* fixPort(listen.host, listen.port)
      const adminPort = yield* Option.match(admin.port, {
        onNone: () => Effect.succeedNone,
        onSome: (wanted) => Effect.asSome(fixPort(admin.host, wanted))
      })
      const own = Option.isSome(adminPort) ? yield* primaryMetrics : Effect.succeed("")
      const variables = {
        PORT: String(port),
        ...(Option.isSome(adminPort) ? { ADMIN_PORT: String(adminPort.value) } : {})
      }
      const context = yield* Effect.context<R>()
      const { launch, reportStart } = Primary.makeProcessLauncher(variables, own)
      const running = superviseProcesses({
        count,
        launch,
        announce: Effect.gen(function* () {
          yield* reportStart
          yield* Effect.logInfo(`${count} processes serve`)
          if (Option.isSome(adminPort)) yield* Logs.logMetricsAddress(admin.host, adminPort.value)
          yield* Lifecycle.announceServer(settings, port, Option.none(), announce)
        }).pipe(Effect.provideContext(context))
      })
      return Fiber.join(yield* Effect.forkScoped(running))
    })
  )

const fixPort = (host: string, port: number) => (port === 0 ? Primary.chooseFreePort(host) : Effect.succeed(port))

/** Returns the metrics of the primary process, which handles no API requests. */
const primaryMetrics = Effect.gen(function* () {
  // Prometheus counts the first restart as an increase only if the counter was 0 before.
  yield* Metric.update(processRestartCounter, 0)
  const refresh = yield* ProcessMetrics.makeProcessGaugeRefresh
  const { format } = yield* Effect.promise(() => import("effect/observability/PrometheusMetrics"))
  return Effect.andThen(refresh, format())
})
