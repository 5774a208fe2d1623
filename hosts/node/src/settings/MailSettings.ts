/** How mails go out, from `SMTP_URL` and `MAIL_FROM`. What these may say is the mail adapter's to judge, which is loaded only if one is set. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Variable from "./Variable.ts"
import { SettingRefused } from "./Variable.ts"

export interface MailSettings {
  /** None, in development: mails become files in the outbox. */
  readonly server: Option.Option<Redacted.Redacted<string>>
  /** `Name <address>` */
  readonly from: string
}

export const read = Effect.fnUntraced(function* (publicHost: string) {
  const url = Option.map(yield* Variable.text("SMTP_URL"), (text) => Redacted.make(text))
  const from = yield* Variable.text("MAIL_FROM")
  const settings: MailSettings = {
    server: url,
    from: Option.getOrElse(from, () => `Partner Commentary <commentary@${publicHost}>`)
  }
  if (Option.isNone(url) && Option.isNone(from)) return settings
  const { sender, server } = yield* Effect.promise(() => import("@partner-commentary/smtp/MailSetting"))
  yield* Effect.mapError(Effect.fromResult(sender(settings.from)), ({ reason }) => refused("MAIL_FROM", reason))
  if (Option.isSome(url)) {
    yield* Effect.mapError(Effect.fromResult(server(url.value)), ({ reason }) => refused("SMTP_URL", reason))
  }
  return settings
})

const refused = (name: string, reason: string) => new SettingRefused({ name, reason: reason.replace(/\.$/, "") })
