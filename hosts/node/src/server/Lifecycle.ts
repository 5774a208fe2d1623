/**
 * Runs a long-running process from start to stop: reads the settings, logs the start and the stop, and announces the
 * server.
 */
import * as LogThrottle from "@partner-commentary/core/shared/LogThrottle"
import * as ConfigSummary from "@partner-commentary/settings/ConfigSummary"
import { formatDatabaseName } from "@partner-commentary/settings/DatabaseSettings"
import * as Settings from "@partner-commentary/settings/Settings"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { CreatedDemoOrganization } from "../demo/DemoOrganization.ts"
import { ClusterMembership } from "../processes/ProcessGroup.ts"
import * as Exporter from "../telemetry/Exporter.ts"
import * as Logs from "../telemetry/Logs.ts"
import { productVersion } from "../Version.ts"

/** The data that the service prints when the service accepts connections. */
interface ListeningService {
  readonly apiRoot: string
  readonly demo: Option.Option<CreatedDemoOrganization>
  /** The URL of the page that shows the mails, if no mail server is configured. */
  readonly outbox: Option.Option<string>
}

export interface ServeOptions<R> {
  readonly work: boolean
  readonly announce: (started: ListeningService) => Effect.Effect<void, never, R>
}

/** Runs a process from start to stop. `start` returns an effect that runs until the process is interrupted. */
export const runLongLivedProcess = <E, E2, R>(
  start: (settings: Settings.Settings) => Effect.Effect<Effect.Effect<never, E2>, E, R | Scope.Scope>
) =>
  Effect.gen(function* () {
    const settings = yield* Settings.readSettings
    yield* Settings.requireServiceSettings(settings)
    const observed = LogThrottle.layer.pipe(
      Layer.provideMerge(Exporter.layer(settings)),
      Layer.provideMerge(Logs.layer(settings, "info"))
    )
    const { isMember } = yield* ClusterMembership
    const log = (text: string) => (isMember ? Effect.void : Effect.logInfo(text))
    return yield* Effect.gen(function* () {
      if (!isMember) {
        yield* Effect.forEach(ConfigSummary.listSettingWarnings(settings), (caution) => Effect.logWarning(caution))
      }
      yield* log(
        `Partner Commentary ${productVersion} starts ${settings.development ? "for development" : "for production"}: ` +
          `database ${formatDatabaseName(settings.database)}, mails ${ConfigSummary.describeMailDestination(settings)}, ` +
          `generator ${ConfigSummary.describeGenerator(settings)}, audio ${ConfigSummary.describeAudioSettings(settings)}`
      )
      // Do not log `Stopped` after a failed start, because the command line reports the failure.
      yield* Effect.addFinalizer((exit) =>
        Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause) ? Effect.void : log("Stopped")
      )
      return yield* Effect.onInterrupt(yield* start(settings), () =>
        Effect.andThen(
          Effect.sync(() => {
            process.exitCode = 0
          }),
          log("Stopping")
        )
      )
    }).pipe(Effect.scoped, Effect.provide(observed))
  })

export const warnAboutPublicUrl = (settings: Settings.Settings, port: number) =>
  Option.match(ConfigSummary.findPublicUrlWarning(settings, port), {
    onNone: () => Effect.void,
    onSome: ({ sentence }) => Effect.logWarning(sentence)
  })

/** Announces that the server listens. With several processes, only the primary process announces the start. */
export const announceServer = Effect.fnUntraced(function* <R>(
  settings: Settings.Settings,
  port: number,
  demo: Option.Option<CreatedDemoOrganization>,
  announce: ServeOptions<R>["announce"]
) {
  const apiRoot = Settings.findApiRoot(settings, port)
  if (!(yield* ClusterMembership).isMember) {
    yield* warnAboutPublicUrl(settings, port)
    yield* Option.match(ConfigSummary.findMissingIdentityProviderWarning(settings), {
      onNone: () => Effect.void,
      onSome: Effect.logWarning
    })
  }
  const outbox = ConfigSummary.usesMailOutbox(settings) ? Option.some(`${apiRoot}/dev/outbox`) : Option.none()
  yield* announce({ apiRoot, demo, outbox })
})
