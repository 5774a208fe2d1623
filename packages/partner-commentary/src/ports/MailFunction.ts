/** A Mailer of an async function. */
import { Mailer, type MailMessage, MailRefused } from "@partner-commentary/core/mail/Mailer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Context, call } from "./HostFunction.ts"

/**
 * Resolves once a mail service has taken the mail. Throw to have it tried again later; throw an error with `permanent: true` where
 * the address can never be reached. The same `message.id` is the same mail: pass it on as an idempotency key.
 */
export type SendMail = (message: MailMessage, context: Context) => unknown

/** A stop waits for mails that are being sent: the answer to one that went out is not lost. */
const longestSend = "15 seconds"

export const layer = (send: SendMail) =>
  Layer.succeed(Mailer, {
    send: Effect.fn("Mailer.send")((message) =>
      Effect.mapError(
        Effect.asVoid(call((context) => send(message, context), longestSend)),
        (failure) => new MailRefused(failure)
      )
    )
  })
