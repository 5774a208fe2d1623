/** Tests the mail settings: connects to the mail server and logs in, without sending a mail. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { createTransport } from "nodemailer"
import { parseMailServer } from "./MailSetting.ts"
import { makeRedactor } from "./SmtpMailer.ts"

export interface MailServerVerification {
  /** False if the URL contains no user name. */
  readonly isAuthenticated: boolean
}

/** Connects to the mail server and logs in. A failure contains the server's reply without credentials. */
export const verifyMailServer = (
  url: Redacted.Redacted<string>,
  timeout: Duration.Input
): Effect.Effect<MailServerVerification, { readonly reason: string }> =>
  Effect.gen(function* () {
    const target = yield* Effect.mapError(Effect.fromResult(parseMailServer(url)), ({ message }) => ({
      reason: message
    }))
    const redact = makeRedactor(target)
    const time = Duration.toMillis(Duration.fromInputUnsafe(timeout))
    const transport = createTransport({
      ...target,
      connectionTimeout: time,
      greetingTimeout: time,
      socketTimeout: time,
      // The URL's parameters cannot enable logging, because a log of the SMTP session would contain credentials.
      logger: false,
      debug: false,
      transactionLog: false
    })
    yield* Effect.tryPromise({
      try: () => transport.verify(),
      catch: (error) => ({
        reason: redact(error instanceof Error ? error.message : String(error))
          .replace(/[\p{Cc}\s]+/gu, " ")
          .slice(0, 300)
      })
    }).pipe(Effect.ensuring(Effect.sync(() => transport.close())))
    return { isAuthenticated: target.auth !== undefined }
  })
