/**
 * Runs the long-running processes: a server with or without workers, and a worker. SIGINT or SIGTERM stops a server or
 * a worker.
 */

import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { LongPolls } from "@partner-commentary/core/access/LongPolls"
import * as RunningContext from "@partner-commentary/core/shared/RunningContext"
import { TrustedProxies } from "@partner-commentary/server/ClientAddress"
import { layerWithoutServerSpans } from "@partner-commentary/server/creator/CreatorRequest"
import { Authorization } from "@partner-commentary/server/middleware/Authorization"
import { CurrentFairScheduler } from "@partner-commentary/server/middleware/FairScheduler"
import { makeRequestRecord, setRateLimitHeaders } from "@partner-commentary/server/middleware/RequestRecord"
import * as Routes from "@partner-commentary/server/Routes"
import * as Workers from "@partner-commentary/server/Workers"
import * as DatabaseMonitor from "@partner-commentary/server/workers/DatabaseMonitor"
import * as DatabaseErrors from "@partner-commentary/settings/DatabaseErrors"
import * as Settings from "@partner-commentary/settings/Settings"
import { InvalidSetting } from "@partner-commentary/settings/Variable"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as AppLayer from "../app/AppLayer.ts"
import * as Database from "../app/Database.ts"
import * as DemoOrganization from "../demo/DemoOrganization.ts"
import * as Metrics from "../telemetry/Metrics.ts"
import * as Telemetry from "../telemetry/Telemetry.ts"
import { productVersion } from "../Version.ts"
import * as ExplorerFile from "./ExplorerFile.ts"
import * as Lifecycle from "./Lifecycle.ts"
import * as Listener from "./Listener.ts"
import * as MediaRoutes from "./MediaRoutes.ts"
import * as OutboxRoutes from "./OutboxRoutes.ts"
import * as ResponseEnd from "./ResponseEnd.ts"

/** Serves requests until the effect is interrupted. Calls `announce` when the server listens. */
export const serve = <R>(options: Lifecycle.ServeOptions<R>) =>
  running(
    () => Effect.void,
    Effect.fnUntraced(function* (settings, stores) {
      const { fair, open, port, server, setErrorHeaders } = yield* Listener.bindPort(
        settings.listen.host,
        settings.listen.port,
        "PORT",
        { keepAlive: settings.listen.keepAlive }
      ).pipe(Effect.provideService(TrustedProxies, settings.trustedProxies))
      const apiRoot = Settings.findApiRoot(settings, port)
      const app = yield* Layer.build(
        AppLayer.layer(settings, apiRoot).pipe(Layer.provideMerge(Layer.succeedContext(stores)))
      )
      const demo = settings.database.isDefault
        ? yield* Effect.provideContext(DemoOrganization.createDemoOrganization, app)
        : Option.none()
      yield* Effect.provideContext(Telemetry.startTelemetry(settings), app)
      if (options.work) yield* Layer.build(Layer.provide(Workers.layer, Layer.succeedContext(app)))
      yield* Layer.build(
        routes(settings).pipe(
          Layer.provide(Layer.succeedContext(Context.add(app, HttpServer.HttpServer, forRequests(server)))),
          Layer.provide([
            NodeHttpServer.layerHttpServices,
            layerWithoutServerSpans,
            ExplorerFile.layer,
            ResponseEnd.layer
          ]),
          Layer.provide(Layer.succeed(CurrentFairScheduler, fair))
        )
      )
      setErrorHeaders(
        yield* Effect.provide(malformedRequestHeaders, Layer.provide(Authorization.layer, Layer.succeedContext(app)))
      )
      // When the server stops, answer requests with `Prefer: wait` before the listener waits for running requests. The
      // finalizer of `open` runs first, so that these responses have `Connection: close`.
      yield* Effect.addFinalizer(() => Context.get(app, LongPolls).stop)
      yield* open
      yield* Lifecycle.announceServer(settings, port, demo, options.announce)
    })
  )

const forRequests = (server: HttpServer.HttpServer["Service"]): HttpServer.HttpServer["Service"] => ({
  ...server,
  serve: ((app: Effect.Effect<never>, middleware: never) =>
    Effect.updateContext(server.serve(app, middleware), RunningContext.removeServices)) as never
})

/** Runs workers until the effect is interrupted. */
export const runWorkerProcess = <R>(announce: Effect.Effect<void, never, R>) =>
  running(
    (settings) =>
      Option.isNone(settings.publicUrl) && settings.listen.port === 0
        ? Effect.fail(
            new InvalidSetting({
              name: "PUBLIC_URL",
              reason: "must be set for a worker where PORT is 0: its mails link to the server"
            })
          )
        : Effect.void,
    Effect.fnUntraced(function* (settings, stores) {
      const app = yield* Layer.build(
        AppLayer.layer(settings, Settings.findApiRoot(settings, settings.listen.port)).pipe(
          Layer.provideMerge(Layer.succeedContext(stores))
        )
      )
      yield* Effect.provideContext(Telemetry.startTelemetry(settings), app)
      yield* Layer.build(Layer.provide(Workers.layer, Layer.succeedContext(app)))
      yield* Lifecycle.warnAboutPublicUrl(settings, settings.listen.port)
      yield* announce
    })
  )

/** Counts a malformed request against the sender's rate limit, and returns the rate-limit headers of the response. */
const malformedRequestHeaders = Effect.gen(function* () {
  const { countAnonymous } = yield* Authorization
  const run = Effect.runSyncWith(yield* Effect.context<never>())
  return (address: string) => {
    const record = makeRequestRecord()
    const now = run(Effect.andThen(Effect.ignore(countAnonymous(address, record)), Clock.currentTimeMillis))
    const headers = {}
    setRateLimitHeaders(headers, record, 400, now)
    return headers
  }
})

const routes = (settings: Settings.Settings) =>
  HttpRouter.serve(Layer.mergeAll(Routes.layerOwnRouter, outboxOf(settings), mediaOf(settings)), {
    routerConfig: Routes.routerConfig,
    disableLogger: true,
    disableListenLog: true,
    ...(Telemetry.isTelemetryEnabled(settings) ? { middleware: Metrics.requestMetricsMiddleware } : {})
  })

const outboxOf = ({ development }: Settings.Settings) => (development ? OutboxRoutes.layer : Layer.empty)

/**
 * Returns the routes for media files in a folder. Files in a bucket need no route, because the bucket serves these
 * files.
 */
const mediaOf = ({ media }: Settings.Settings) =>
  Option.match(media.storage, {
    onNone: () => Layer.empty,
    onSome: (storage) => (storage.kind === "folder" ? MediaRoutes.layer(storage.folder) : Layer.empty)
  })

/** Writes heartbeats. The heartbeats begin before any work of the process and end after all work. */
const heartbeat = Effect.gen(function* () {
  const { layer } = yield* Effect.promise(() => import("@partner-commentary/sql/database/Heartbeat"))
  const { database } = yield* Settings.readSettings
  const crypto = yield* Effect.promise(() => import("@effect/platform-node/NodeCrypto"))
  yield* Effect.mapError(Layer.build(Layer.provide(layer(productVersion), crypto.layerSecureRandom)), (error) =>
    DatabaseErrors.explainDatabaseError(database, error)
  )
})

/**
 * Builds the Effect layers of a process and runs the process. When the process stops, the layers close in reverse
 * order: running requests, workers, connections, the database.
 */
const running = <E, R, E2>(
  check: (settings: Settings.Settings) => Effect.Effect<void, E2>,
  start: (
    settings: Settings.Settings,
    stores: Context.Context<Layer.Success<ReturnType<typeof Database.layer>>>
  ) => Effect.Effect<void, E, R>
) =>
  Lifecycle.runLongLivedProcess(
    Effect.fnUntraced(function* (settings) {
      yield* check(settings)
      const stores = yield* Layer.build(Database.layer(settings, { listens: true }))
      yield* Effect.provideContext(heartbeat, stores)
      // On Postgres, `stores` also provides the clock that all processes share.
      yield* Effect.provideContext(start(settings, stores), stores)
      yield* Layer.build(Layer.provide(DatabaseMonitor.layer, Layer.succeedContext(stores)))
      return Effect.never
    })
  )
