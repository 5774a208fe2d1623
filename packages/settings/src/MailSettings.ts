/**
 * Reads the mail settings from `SMTP_URL`, `SMTP_CONNECTIONS` and `MAIL_FROM`. The mail adapter validates the server
 * and the sender. The mail adapter is loaded only when `SMTP_URL` or `MAIL_FROM` is set.
 */
import type { MailSettingRefused } from "@partner-commentary/smtp/MailSetting"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Parser from "./Parser.ts"
import * as Variable from "./Variable.ts"
import { InvalidSetting } from "./Variable.ts"

export interface MailSettings {
  /**
   * The URL of the mail server; none if `SMTP_URL` is unset. Without `SMTP_URL`, development mode writes mails to the
   * outbox folder.
   */
  readonly server: Option.Option<Redacted.Redacted<string>>
  /** The sender of mails, in the form `Name <address>`. */
  readonly from: string
  /** The maximum number of connections to the mail server, and of mails that are sent concurrently. */
  readonly connections: number
}

export const readMailSettings = Effect.fnUntraced(function* (publicHost: string) {
  const url = Option.map(yield* Variable.readText("SMTP_URL"), (text) => Redacted.make(text))
  const from = yield* Variable.readText("MAIL_FROM")
  const settings: MailSettings = {
    server: url,
    connections: yield* Variable.readWithDefault("SMTP_CONNECTIONS", Parser.makeIntegerParser(1, 1000), 16),
    from: Option.getOrElse(from, () => `Partner Commentary <commentary@${publicHost}>`)
  }
  if (Option.isNone(url) && Option.isNone(from)) return settings
  const { parseMailSender: sender, parseMailServer: server } = yield* Effect.promise(
    () => import("@partner-commentary/smtp/MailSetting")
  )
  yield* Effect.mapError(Effect.fromResult(sender(settings.from)), explainMailError)
  if (Option.isSome(url)) {
    yield* Effect.mapError(Effect.fromResult(server(url.value)), explainMailError)
  }
  return settings
})

const names = { url: "SMTP_URL", from: "MAIL_FROM", folder: "The outbox" }

/** Returns an error that names the environment variable of the rejected mail setting. */
export const explainMailError = ({ reason, setting }: MailSettingRefused): InvalidSetting =>
  new InvalidSetting({ name: names[setting], reason: reason.replace(/\.$/, "") })
