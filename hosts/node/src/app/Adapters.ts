/**
 * Builds the adapters that the settings choose, with metrics for mails, drafts and requests to receivers. Only the
 * modules of chosen adapters are loaded.
 */
import { CommentaryGenerator } from "@partner-commentary/core/commentary/CommentaryGenerator"
import { Mailer } from "@partner-commentary/core/mail/Mailer"
import { WebhookTransport } from "@partner-commentary/core/webhook/WebhookTransport"
import * as ConfigSummary from "@partner-commentary/settings/ConfigSummary"
import * as MailSettings from "@partner-commentary/settings/MailSettings"
import type { Settings } from "@partner-commentary/settings/Settings"
import type { MailSettingRefused } from "@partner-commentary/smtp/MailSetting"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Adapters from "partner-commentary/Adapters"
import * as Metrics from "../telemetry/Metrics.ts"
import * as DataFolder from "./DataFolder.ts"

export const layer = (settings: Settings) =>
  Layer.mergeAll(mailer(settings), generator(settings), webhooks(settings), identity(settings))

const mailer = ({ mail }: Settings) =>
  Layer.effect(
    Mailer,
    Effect.map(Mailer, ({ send }) => Mailer.of({ send: (message) => Metrics.measureCall("mails", send(message)) }))
  ).pipe(
    Layer.provide(
      Option.match(mail.server, {
        onNone: () => outbox(mail.from),
        onSome: (url) => Adapters.smtpMailerLayer({ url, from: mail.from, connections: mail.connections })
      })
    ),
    Layer.catchTag("MailSettingRefused", failWithMailError)
  )

/** The error names the environment variable even if the refused value is the variable's default. */
const failWithMailError = (refused: MailSettingRefused) =>
  Layer.effectContext(Effect.fail(MailSettings.explainMailError(refused)))

const outbox = (from: string) =>
  Layer.unwrap(
    Effect.as(DataFolder.createDataFolder, Adapters.outboxMailerLayer({ folder: DataFolder.outboxFolder, from }))
  )

const generator = (settings: Settings) =>
  Layer.effect(
    CommentaryGenerator,
    Effect.map(CommentaryGenerator, ({ generate }) =>
      CommentaryGenerator.of({ generate: (request) => Metrics.measureCall("drafts", generate(request)) })
    )
  ).pipe(Layer.provide(Adapters.generatorLayer(settings.generator)))

const webhooks = ({ webhooks: { allowPrivate } }: Settings) =>
  Layer.effect(
    WebhookTransport,
    Effect.map(WebhookTransport, ({ check, send }) =>
      WebhookTransport.of({ check, send: (request) => Metrics.measureCall("webhooks", send(request)) })
    )
  ).pipe(Layer.provide(Adapters.webhookTransportLayer({ allowPrivate })))

const identity = (settings: Settings) =>
  ConfigSummary.issuesDashboardTokens(settings) ? localIdentity(settings) : Adapters.identityLayer(settings.identity)

const localIdentity = (settings: Settings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const [secret] = yield* DataFolder.loadOrCreateSecrets(settings)
      const { layer } = yield* Effect.promise(() => import("@partner-commentary/identity/LocalIdentity"))
      return layer({ secret })
    })
  )

/** Issues dashboard tokens. A server with the same settings accepts the issued tokens. */
export const makeLocalTokenIssuer = Effect.fnUntraced(function* (settings: Settings) {
  const { LocalTokens } = yield* Effect.promise(() => import("@partner-commentary/identity/LocalIdentity"))
  return Context.get(yield* Layer.build(localIdentity(settings)), LocalTokens)
}, Effect.scoped)
