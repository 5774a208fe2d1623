/** A Mailer that calls an async function. */
import { Mailer, type MailMessage, MailRefused } from "@partner-commentary/core/mail/Mailer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Context, callHostFunction } from "./HostFunction.ts"

/**
 * Resolves when the mail service has accepted the mail. If it throws an error, the service retries later. Throw an
 * error with `permanent: true` if the address can never be reached. Calls with the same `message.id` are for the same
 * mail: pass the id on as an idempotency key.
 */
export type SendMail = (message: MailMessage, context: Context) => unknown

/** A stop waits for mails that are being sent, so that their result is not lost. */
const longestSend = "15 seconds"

export const layer = (send: SendMail) =>
  Layer.succeed(Mailer, {
    send: Effect.fn("Mailer.send")((message) =>
      Effect.mapError(
        Effect.asVoid(callHostFunction((context) => send(message, context), longestSend)),
        (failure) => new MailRefused(failure)
      )
    )
  })
