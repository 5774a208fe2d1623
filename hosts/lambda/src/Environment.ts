/**
 * Builds the service from the same environment variables as the Node host. Lambda has no persistent disk and no
 * development mode, so some variables that have defaults on the Node host are required on Lambda.
 */
import * as LogThrottle from "@partner-commentary/core/shared/LogThrottle"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { SigningSecrets } from "@partner-commentary/core/shared/SigningSecrets"
import { AccessLogEnabled } from "@partner-commentary/server/middleware/AccessLog"
import * as ConfigSummary from "@partner-commentary/settings/ConfigSummary"
import { effectLogLevels } from "@partner-commentary/settings/LogLevels"
import type { MediaBucketSettings, MediaFolderSettings } from "@partner-commentary/settings/MediaSettings"
import * as Settings from "@partner-commentary/settings/Settings"
import { InvalidSetting } from "@partner-commentary/settings/Variable"
import type { MailSettingRefused } from "@partner-commentary/smtp/MailSetting"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Adapters from "partner-commentary/Adapters"
import * as Composition from "partner-commentary/Composition"
import * as Database from "./Database.ts"
import * as DocumentationFiles from "./DocumentationFiles.ts"
import type { HostServices } from "./Handler.ts"

const read = Effect.gen(function* () {
  const settings = yield* Settings.readSettings
  if (settings.database.isDefault) return yield* missing("DATABASE_URL", "no disk of its own outlives a container")
  yield* Settings.requireServiceSettings({ ...settings, development: false })
  const { mail, media, publicUrl, signingSecrets } = settings
  if (Option.exists(media.storage, ({ kind }) => kind === "folder")) {
    return yield* missing("MEDIA_S3_URL", "nothing would serve a folder of a container")
  }
  if (Option.isNone(publicUrl)) return yield* missing("PUBLIC_URL", "every link in a mail starts with it")
  // `requireServiceSettings` has checked that the mail server and the signing secrets are set.
  return {
    settings,
    apiRoot: publicUrl.value,
    smtpUrl: Option.getOrThrow(mail.server),
    secrets: Option.getOrThrow(signingSecrets)
  }
})

const listWarnings = (settings: Settings.Settings): ReadonlyArray<string> => [
  ...ConfigSummary.listSettingWarnings(settings),
  ...Option.toArray(ConfigSummary.findMissingIdentityProviderWarning(settings))
]

const missing = (name: string, why: string) =>
  Effect.fail(new InvalidSetting({ name, reason: `must be set on Lambda: ${why}` }))

const outside = ({ settings, smtpUrl }: Effect.Success<typeof read>) => {
  const { generator, identity, mail, media, webhooks } = settings
  return Layer.mergeAll(
    Adapters.smtpMailerLayer({ url: smtpUrl, from: mail.from, connections: mail.connections }),
    Adapters.webhookTransportLayer(webhooks),
    Adapters.generatorLayer(generator),
    Adapters.speechSynthesisLayer(media.speech),
    Option.match(Option.filter(media.storage, isBucket), {
      onNone: () => Layer.empty,
      onSome: Adapters.s3StorageLayer
    }),
    Adapters.identityLayer(identity)
  )
}

const isBucket = (storage: MediaFolderSettings | MediaBucketSettings): storage is MediaBucketSettings =>
  storage.kind === "bucket"

/**
 * Writes logs as JSON lines to stderr, because Lambda stores stderr. Tracing is off, because Lambda would not export
 * the spans.
 */
const layerLogging = ({ log }: Settings.Settings) => LogThrottle.layer.pipe(Layer.provideMerge(loggers(log)))

const loggers = (log: Settings.Settings["log"]) =>
  Layer.mergeAll(
    Logger.layer([Logger.withConsoleError(Logger.formatJson)]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(AccessLogEnabled, log.requests),
    Layer.succeed(References.MinimumLogLevel, effectLogLevels[Option.getOrElse(log.level, () => "info" as const)]),
    Layer.succeed(References.TracerEnabled, false)
  )

/**
 * Builds the service from the environment. The explicit type keeps the optional Postgres adapter's types out of the
 * package's type declarations.
 */
export const layer: Layer.Layer<HostServices, InvalidSetting | MailSettingRefused> = Layer.unwrap(
  Effect.map(read, (environment) => {
    const { apiRoot, secrets, settings } = environment
    return Composition.layer({
      address: PublicAddress.layerAnywhere(apiRoot),
      secrets: Layer.succeed(SigningSecrets, secrets),
      policy: settings.policy,
      trustedProxies: settings.trustedProxies,
      workers: { mails: settings.mail.connections },
      ports: Layer.mergeAll(
        Database.layer(settings),
        outside(environment),
        DocumentationFiles.layer,
        Layer.effectDiscard(Effect.forEach(listWarnings(settings), (warning) => Effect.logWarning(warning)))
      )
    }).pipe(Layer.provideMerge(layerLogging(settings)))
  })
)
