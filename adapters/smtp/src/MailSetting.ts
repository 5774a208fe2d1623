/** Checks the operator's mail settings when a mailer layer is built, and not at each send. */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { parseConnectionUrl } from "nodemailer/lib/shared"
import { type MailSender, parseSender } from "./MailAddress.ts"
import { findInvalidParameterReason } from "./UrlParameters.ts"

/** The error for an invalid mail setting. The message consists of the setting's name and `reason`. */
export class MailSettingRefused extends Schema.TaggedError<MailSettingRefused>()("MailSettingRefused", {
  setting: Schema.Literals(["url", "from", "folder"]),
  /** The reason never contains a value that might contain a password. */
  reason: Schema.String
}) {
  override get message() {
    return `The mail setting "${this.setting}" ${this.reason}`
  }
}

export type MailServerSetting = ReturnType<typeof parseConnectionUrl>

const wrongUrl = (reason: string) => Result.fail(new MailSettingRefused({ setting: "url", reason }))

/**
 * Parses a URL that begins with `smtp://` or `smtps://` and contains a host. The query contains the options of
 * nodemailer that `UrlParameters` knows, such as `requireTLS=true`.
 */
export const parseMailServer = (
  url: Redacted.Redacted<string>
): Result.Result<MailServerSetting, MailSettingRefused> => {
  const text = Redacted.value(url).trim()
  if (!/^smtps?:\/\//i.test(text)) return wrongUrl("must start with smtp:// or smtps://.")
  const parts = URL.parse(text)
  if (parts === null || !/^\/?$/.test(parts.pathname) || parts.hash !== "") {
    return wrongUrl(
      "must read smtp://user:password@host:port, with special characters of user and password percent-encoded."
    )
  }
  if (parts.hostname === "") return wrongUrl("must name a host.")
  if (parts.port === "0") return wrongUrl("must name a port from 1 to 65535.")
  const invalidParameter = findInvalidParameterReason(parts.search)
  if (invalidParameter !== undefined) return wrongUrl(invalidParameter)
  return Result.try({
    try: () => parseConnectionUrl(text),
    catch: () => new MailSettingRefused({ setting: "url", reason: "must name a host that exists as a host name." })
  })
}

export const parseMailSender = (from: string): Result.Result<MailSender, MailSettingRefused> =>
  Result.fromOption(
    parseSender(from),
    () => new MailSettingRefused({ setting: "from", reason: "must be one address, such as Name <name@example.com>." })
  )
