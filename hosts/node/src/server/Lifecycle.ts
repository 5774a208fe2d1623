/**
 * Runs a long-running process from reading the settings to the stop, with log lines, start messages and the exit code.
 */
import * as LogThrottle from "@partner-commentary/core/shared/LogThrottle"
import * as ConfigSummary from "@partner-commentary/settings/ConfigSummary"
import { databaseDisplayName } from "@partner-commentary/settings/DatabaseSettings"
import * as Settings from "@partner-commentary/settings/Settings"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Demo } from "../demo/DemoOrganization.ts"
import { ProcessGroup } from "../processes/ProcessGroup.ts"
import * as Exporter from "../telemetry/Exporter.ts"
import * as Logs from "../telemetry/Logs.ts"
import { version } from "../Version.ts"

/** The values that the service prints when it listens. */
interface ListeningService {
  readonly apiRoot: string
  readonly demo: Option.Option<Demo>
  /** The URL of the page with the local outbox, if no mail server is configured. */
  readonly outbox: Option.Option<string>
}

export interface ServeOptions<R> {
  readonly work: boolean
  readonly announce: (started: ListeningService) => Effect.Effect<void, never, R>
}

/** Runs a long-running service. `start` returns the effect that runs until the process is interrupted. */
export const run = <E, E2, R>(
  start: (settings: Settings.Settings) => Effect.Effect<Effect.Effect<never, E2>, E, R | Scope.Scope>
) =>
  Effect.gen(function* () {
    const settings = yield* Settings.readSettings
    yield* Settings.requireForService(settings)
    const observed = LogThrottle.layer.pipe(
      Layer.provideMerge(Exporter.layer(settings)),
      Layer.provideMerge(Logs.layer(settings, "info"))
    )
    const { isMember } = yield* ProcessGroup
    const log = (text: string) => (isMember ? Effect.void : Effect.logInfo(text))
    return yield* Effect.gen(function* () {
      if (!isMember) {
        yield* Effect.forEach(ConfigSummary.settingWarnings(settings), (caution) => Effect.logWarning(caution))
      }
      yield* log(
        `Partner Commentary ${version} starts ${settings.development ? "for development" : "for production"}: ` +
          `database ${databaseDisplayName(settings.database)}, mails ${ConfigSummary.describeMail(settings)}, ` +
          `generator ${ConfigSummary.describeGenerator(settings)}, audio ${ConfigSummary.describeAudio(settings)}`
      )
      // The command line reports the reason of a failed start, so a failed start does not log `Stopped`.
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

export const warnAboutLinks = (settings: Settings.Settings, port: number) =>
  Option.match(ConfigSummary.publicUrlWarning(settings, port), {
    onNone: () => Effect.void,
    onSome: ({ sentence }) => Effect.logWarning(sentence)
  })

/** Announces that the server listens. With several processes, the primary process logs the warnings. */
export const announceServer = Effect.fnUntraced(function* <R>(
  settings: Settings.Settings,
  port: number,
  demo: Option.Option<Demo>,
  announce: ServeOptions<R>["announce"]
) {
  const apiRoot = Settings.apiRootOf(settings, port)
  if (!(yield* ProcessGroup).isMember) {
    yield* warnAboutLinks(settings, port)
    yield* Option.match(ConfigSummary.identityWarning(settings), {
      onNone: () => Effect.void,
      onSome: Effect.logWarning
    })
  }
  const outbox = ConfigSummary.usesOutbox(settings) ? Option.some(`${apiRoot}/dev/outbox`) : Option.none()
  yield* announce({ apiRoot, demo, outbox })
})
