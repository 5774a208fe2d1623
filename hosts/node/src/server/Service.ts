/** The long-running processes: the server, with or without workers, and workers alone. They end when they are told to stop. */

import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as LogThrottle from "@partner-commentary/core/shared/LogThrottle"
import { TrustedProxies } from "@partner-commentary/server/ClientAddress"
import { layerUntraced } from "@partner-commentary/server/creator/CreatorRequest"
import { Authorization } from "@partner-commentary/server/middleware/Authorization"
import { fresh, headersOf } from "@partner-commentary/server/middleware/CurrentRate"
import { CurrentFairScheduler } from "@partner-commentary/server/middleware/FairScheduler"
import * as Routes from "@partner-commentary/server/Routes"
import { Polling } from "@partner-commentary/server/routes/topics/Polling"
import * as Workers from "@partner-commentary/server/Workers"
import * as DatabaseMonitor from "@partner-commentary/server/workers/DatabaseMonitor"
import * as ConfigSummary from "@partner-commentary/settings/ConfigSummary"
import * as DatabaseRefused from "@partner-commentary/settings/DatabaseRefused"
import { told } from "@partner-commentary/settings/DatabaseSettings"
import * as Settings from "@partner-commentary/settings/Settings"
import { SettingRefused } from "@partner-commentary/settings/Variable"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as AppLayer from "../app/AppLayer.ts"
import * as Database from "../app/Database.ts"
import * as DemoOrganization from "../demo/DemoOrganization.ts"
import * as Logs from "../telemetry/Logs.ts"
import * as Metrics from "../telemetry/Metrics.ts"
import * as Telemetry from "../telemetry/Telemetry.ts"
import { version } from "../Version.ts"
import * as ExplorerFile from "./ExplorerFile.ts"
import * as Listener from "./Listener.ts"
import * as MediaRoutes from "./MediaRoutes.ts"
import * as OutboxRoutes from "./OutboxRoutes.ts"
import * as PollingListener from "./PollingListener.ts"
import * as TakenAnswers from "./TakenAnswers.ts"

/** What there is to say once it listens. */
interface Served {
  readonly apiRoot: string
  readonly demo: Option.Option<DemoOrganization.Demo>
  /** Where the mails can be read, if they do not go out. */
  readonly outbox: Option.Option<string>
}

/** Serves until it is interrupted. `announce` is told once it listens. */
export const serve = <R>(options: {
  readonly work: boolean
  readonly announce: (served: Served) => Effect.Effect<void, never, R>
}) =>
  running(
    () => Effect.void,
    Effect.fnUntraced(function* (settings, stores) {
      const { fair, native, open, port, server, tellUnreadable } = yield* Listener.bind(
        settings.listen.host,
        settings.listen.port,
        "PORT",
        { keepAlive: settings.listen.keepAlive }
      ).pipe(Effect.provideService(TrustedProxies, settings.trustedProxies))
      const apiRoot = Settings.apiRoot(settings, port)
      const engine = yield* Layer.build(
        AppLayer.layer(settings, apiRoot).pipe(Layer.provideMerge(Layer.succeedContext(stores)))
      )
      const demo = settings.database.isDefault
        ? yield* Effect.provideContext(DemoOrganization.make, engine)
        : Option.none()
      yield* Effect.provideContext(Telemetry.observe(settings), engine)
      if (options.work) yield* Layer.build(Layer.provide(Workers.layer, Layer.succeedContext(engine)))
      yield* Layer.build(
        site(settings).pipe(
          Layer.provide(Layer.succeedContext(Context.add(engine, HttpServer.HttpServer, server))),
          Layer.provide([NodeHttpServer.layerHttpServices, layerUntraced, ExplorerFile.layer, TakenAnswers.layer]),
          Layer.provide(Layer.succeed(CurrentFairScheduler, fair))
        )
      )
      tellUnreadable(yield* Effect.provide(strangers, Layer.provide(Authorization.layer, Layer.succeedContext(engine))))
      yield* open
      // Who watches is shown every request, and those alone that the router answers are measured.
      if (!Telemetry.isWatched(settings)) {
        yield* Effect.provide(
          PollingListener.listen(native),
          Layer.provide(Polling.layer, Layer.succeedContext(Context.add(engine, CurrentFairScheduler, fair)))
        )
      }
      yield* warnOfLinks(settings, port)
      yield* Option.match(ConfigSummary.noIdentity(settings), { onNone: () => Effect.void, onSome: Effect.logWarning })
      const outbox = ConfigSummary.isOutbox(settings) ? Option.some(`${apiRoot}/dev/outbox`) : Option.none()
      yield* options.announce({ apiRoot, demo, outbox })
    })
  )

/** Works until it is interrupted. */
export const work = <R>(announce: Effect.Effect<void, never, R>) =>
  running(
    (settings) =>
      Option.isNone(settings.publicUrl) && settings.listen.port === 0
        ? Effect.fail(
            new SettingRefused({
              name: "PUBLIC_URL",
              reason: "must be set for a worker where PORT is 0: its mails link to the server"
            })
          )
        : Effect.void,
    Effect.fnUntraced(function* (settings, stores) {
      const engine = yield* Layer.build(
        AppLayer.layer(settings, Settings.apiRoot(settings, settings.listen.port)).pipe(
          Layer.provideMerge(Layer.succeedContext(stores))
        )
      )
      yield* Effect.provideContext(Telemetry.observe(settings), engine)
      yield* Layer.build(Layer.provide(Workers.layer, Layer.succeedContext(engine)))
      yield* warnOfLinks(settings, settings.listen.port)
      yield* announce
    })
  )

/** Counts a request that could not be read, and tells its sender's rate limits. */
const strangers = Effect.gen(function* () {
  const { countAnonymous } = yield* Authorization
  const run = Effect.runSyncWith(yield* Effect.context<never>())
  return (address: string) => {
    const rate = fresh()
    run(Effect.ignore(countAnonymous(address, rate)))
    return headersOf(rate, 400)
  }
})

const warnOfLinks = (settings: Settings.Settings, port: number) =>
  Option.match(ConfigSummary.unfoundLinks(settings, port), {
    onNone: () => Effect.void,
    onSome: ({ sentence }) => Effect.logWarning(sentence)
  })

const site = (settings: Settings.Settings) =>
  HttpRouter.serve(Layer.mergeAll(Routes.layer, outboxOf(settings), mediaOf(settings)), {
    routerConfig: Routes.routerConfig,
    disableLogger: true,
    disableListenLog: true,
    ...(Telemetry.isWatched(settings) ? { middleware: Metrics.watched } : {})
  })

const outboxOf = ({ development }: Settings.Settings) => (development ? OutboxRoutes.layer : Layer.empty)

/** A bucket serves its own. */
const mediaOf = ({ media }: Settings.Settings) =>
  Option.match(media.storage, {
    onNone: () => Layer.empty,
    onSome: (storage) => (storage.kind === "folder" ? MediaRoutes.layer(storage.folder) : Layer.empty)
  })

/** From before it takes up work until after it has ended. */
const seen = Effect.gen(function* () {
  const { layer } = yield* Effect.promise(() => import("@partner-commentary/sql/database/Heartbeat"))
  const { database } = yield* Settings.read
  const crypto = yield* Effect.promise(() => import("@effect/platform-node/NodeCrypto"))
  yield* Effect.mapError(Layer.build(Layer.provide(layer(version), crypto.layerSecureRandom)), (error) =>
    DatabaseRefused.of(database, error)
  )
})

/** What was started ends in reverse: running requests, workers, connections, the database. */
const running = <E, R, E2>(
  check: (settings: Settings.Settings) => Effect.Effect<void, E2>,
  start: (
    settings: Settings.Settings,
    stores: Context.Context<Layer.Success<ReturnType<typeof Database.layer>>>
  ) => Effect.Effect<void, E, R>
) =>
  Effect.gen(function* () {
    const settings = yield* Settings.read
    yield* Settings.requireForService(settings)
    const observed = LogThrottle.layer.pipe(
      Layer.provideMerge(Telemetry.layer(settings)),
      Layer.provideMerge(Logs.layer(settings, "info"))
    )
    return yield* Effect.gen(function* () {
      yield* Effect.forEach(ConfigSummary.cautions(settings), (caution) => Effect.logWarning(caution))
      yield* Effect.logInfo(
        `Partner Commentary ${version} starts ${settings.development ? "for development" : "for production"}: ` +
          `database ${told(settings.database)}, mails ${ConfigSummary.mailWay(settings)}, ` +
          `generator ${ConfigSummary.generator(settings)}, audio ${ConfigSummary.speech(settings)}`
      )
      // Why it did not start is said elsewhere.
      yield* Effect.addFinalizer((exit) =>
        Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause) ? Effect.void : Effect.logInfo("Stopped")
      )
      yield* check(settings)
      const stores = yield* Layer.build(Database.layer(settings, { listens: true }))
      yield* Effect.provideContext(seen, stores)
      // With its clock, too.
      yield* Effect.provideContext(start(settings, stores), stores)
      yield* Layer.build(Layer.provide(DatabaseMonitor.layer, Layer.succeedContext(stores)))
      return yield* Effect.onInterrupt(Effect.never, () =>
        Effect.andThen(
          Effect.sync(() => {
            process.exitCode = 0
          }),
          Effect.logInfo("Stopping")
        )
      )
    }).pipe(Effect.scoped, Effect.provide(observed))
  })
