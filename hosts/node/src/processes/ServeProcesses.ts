/** `serve` in one process or in several. Only the processes that serve load the server's modules. */
import { availableParallelism } from "node:os"
import { isPostgres } from "@partner-commentary/settings/DatabaseSettings"
import * as Settings from "@partner-commentary/settings/Settings"
import { SettingRefused } from "@partner-commentary/settings/Variable"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { WrongUsage } from "../cli/CommandFailed.ts"
import { describeFailure } from "../cli/CommandLine.ts"
import * as Lifecycle from "../server/Lifecycle.ts"
import * as Logs from "../telemetry/Logs.ts"
import * as ProcessMetrics from "../telemetry/ProcessMetrics.ts"
import * as Primary from "./Primary.ts"
import * as ProcessGroup from "./ProcessGroup.ts"
import { supervise } from "./Supervisor.ts"

interface Options<R> extends Lifecycle.ServeOptions<R> {
  /** The number that the command line asks for. */
  readonly processes: Option.Option<number>
}

/** With eight pools of 11 connections Postgres has room for others: its `max_connections` is 100 by default. */
const largestDefault = 8

const onSqlite = "must be 1 on SQLite, where one process writes"

/** Serves until it is interrupted. */
export const serve = Effect.fnUntraced(function* <R>(options: Options<R>) {
  if (ProcessGroup.isMember()) {
    const member = serveAlone({ work: options.work, announce: () => ProcessGroup.sendReady })
    return yield* ProcessGroup.asMember(member, describeFailure)
  }
  const count = yield* countProcesses(yield* Settings.readSettings, options.processes)
  return yield* count === 1 ? serveAlone(options) : serveTogether(count, options)
})

const serveAlone = <R>(options: Lifecycle.ServeOptions<R>) =>
  Effect.flatMap(
    Effect.promise(() => import("../server/Service.ts")),
    ({ serve }) => serve(options)
  )

/** The number of processes, by the command line, the environment, or the cores of the machine. */
const countProcesses = (settings: Settings.Settings, asked: Option.Option<number>) =>
  Effect.gen(function* () {
    if (isPostgres(settings.database)) {
      return Option.getOrElse(
        Option.orElse(asked, () => settings.processes),
        () => Math.min(availableParallelism(), largestDefault)
      )
    }
    const isSeveral = (count: number) => count > 1
    if (Option.exists(asked, isSeveral)) return yield* new WrongUsage({ message: `--processes ${onSqlite}.` })
    if (Option.isNone(asked) && Option.exists(settings.processes, isSeveral)) {
      return yield* new SettingRefused({ name: "PROCESSES", reason: onSqlite })
    }
    return 1
  })

const serveTogether = <R>(count: number, { announce }: Options<R>) =>
  Lifecycle.run(
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
      const running = supervise({
        count,
        launch: Primary.makeLaunch(variables, own),
        announce: Effect.gen(function* () {
          yield* Effect.logInfo(`${count} processes serve`)
          if (Option.isSome(adminPort)) yield* Logs.logMetricsAddress(admin.host, adminPort.value)
          yield* Lifecycle.announceServer(settings, port, Option.none(), announce)
        }).pipe(Effect.provideContext(context))
      })
      return Fiber.join(yield* Effect.forkScoped(running))
    })
  )

const fixPort = (host: string, port: number) => (port === 0 ? Primary.chooseFreePort(host) : Effect.succeed(port))

/** Returns the metrics of the primary process, which serves no requests. */
const primaryMetrics = Effect.gen(function* () {
  const refresh = yield* ProcessMetrics.makeProcessGaugeRefresh
  const { format } = yield* Effect.promise(() => import("effect/observability/PrometheusMetrics"))
  return Effect.andThen(refresh, format())
})
