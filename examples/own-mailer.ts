/** Implements Mailer with the HTTP API of a mail service, with one JSON request for each mail. */
import { Mailer, MailRefused } from "@partner-commentary/core/mail/Mailer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

// #region own-mailer
export const layer = (options: { url: string; token: Redacted.Redacted<string>; from: string; domain: string }) => {
  const headers = { authorization: `Bearer ${Redacted.value(options.token)}`, "content-type": "application/json" }
  const refused = (permanent: boolean, reason: string) => new MailRefused({ permanent, reason })
  return Layer.succeed(Mailer, {
    send: ({ html, id, subject, text, to }) =>
      Effect.tryPromise({
        try: (signal) => {
          // The key is the same on every attempt, so the mail service drops repeated mails.
          const mail = { messageId: `<${id}@${options.domain}>`, from: options.from, to, subject, text, html }
          return fetch(options.url, { method: "POST", headers, body: JSON.stringify(mail), signal, redirect: "error" })
        },
        catch: () => refused(false, "the mail service cannot be reached")
      }).pipe(
        Effect.tap((response) => Effect.promise(() => response.body?.cancel() ?? Promise.resolve())),
        Effect.timeoutOrElse({
          duration: "15 seconds",
          orElse: () => Effect.fail(refused(false, "the mail service did not answer within 15 seconds"))
        }),
        Effect.filterOrFail(
          ({ ok }) => ok,
          ({ status }) => refused([400, 413, 422].includes(status), `the mail service answered ${status}`)
        ),
        Effect.asVoid
      )
  })
}
// #endregion
