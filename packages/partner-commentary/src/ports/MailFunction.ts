/** Implements Mailer by calling an async function of the application. */
import { Mailer, type MailMessage, MailRefused } from "@partner-commentary/core/mail/Mailer"
import { limitToRun } from "@partner-commentary/core/shared/RunEnd"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { callHostFunction, type HostFunctionContext } from "./HostFunction.ts"

/**
 * Sends a mail, and resolves when the mail service has accepted the mail. If the function throws an error, the service
 * retries later. Throw an error with `permanent: true` if mails can never reach the address. A retry has the same
 * `message.id`, so pass the id to the mail service as an idempotency key.
 */
export type SendMail = (message: MailMessage, context: HostFunctionContext) => unknown

/**
 * The time limit for a call of the mail function. The time limit is short, because a stopping service waits for running
 * calls of the mail function, so that no result is lost. A run with a time limit shortens the call further.
 */
const longestSend = "15 seconds"

export const layer = (send: SendMail) =>
  Layer.succeed(Mailer, {
    send: Effect.fn("Mailer.send")((message) =>
      Effect.mapError(
        Effect.flatMap(limitToRun(longestSend), (limit) =>
          Effect.asVoid(callHostFunction((context) => send(message, context), limit))
        ),
        (failure) => new MailRefused(failure)
      )
    )
  })
