/**
 * Sends one mail over one connection, with timeouts. After all bytes are sent, the server may already have accepted the
 * mail. If a process stops while it waits for the final reply, it waits for at most another `stopTimeout`. Without a
 * reply, the mail fails as `unanswered`, and after a stop also as `stopped`.
 */
import { MailRefused } from "@partner-commentary/core/mail/Mailer"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { SendMailOptions } from "nodemailer"
import type { SmtpPool, SmtpTimeouts } from "./Pool.ts"

const silent = (bound: Duration.Duration) =>
  new MailRefused({ permanent: false, reason: `No answer from the mail server within ${Duration.format(bound)}.` })

const unanswered = (bound: Duration.Duration) =>
  new MailRefused({
    permanent: false,
    unanswered: true,
    reason: `The mail server did not answer within ${Duration.format(bound)} after the whole mail: it may have arrived.`
  })

const stopped = new MailRefused({
  permanent: false,
  unanswered: true,
  stopped: true,
  reason: "The service stopped before the mail server answered the whole mail: it may have arrived."
})

/**
 * Sends a mail. Callers must run the effect in an uninterruptible region, but the effect can still be interrupted until
 * all bytes of the mail are sent.
 */
export const sendMail = Effect.fnUntraced(function* (
  pool: SmtpPool,
  mail: SendMailOptions,
  refusal: (cause: unknown, isWhole: boolean) => MailRefused,
  { answerTimeout, stopTimeout, timeout }: SmtpTimeouts
) {
  const wholeOrEnded = yield* Deferred.make<void>()
  let isWhole = false
  const onSent = () => {
    isWhole = true
    Deferred.doneUnsafe(wholeOrEnded, Exit.void)
  }
  const sending = yield* Effect.forkChild(
    Effect.tryPromise({
      try: (signal) => pool.send(mail, signal, onSent),
      catch: (cause) => refusal(cause, isWhole)
    })
  )
  const ended = Fiber.await(sending)
  sending.addObserver(() => Deferred.doneUnsafe(wholeOrEnded, Exit.void))

  const sent = yield* Deferred.await(wholeOrEnded).pipe(
    Effect.timeoutOption(timeout),
    Effect.interruptible,
    Effect.exit
  )
  if (!isWhole && sending.pollUnsafe() === undefined) {
    yield* Fiber.interrupt(sending)
    if (!isWhole) return yield* Exit.isFailure(sent) ? Effect.interrupt : Effect.fail(silent(timeout))
  }

  const answered = yield* Exit.isFailure(sent)
    ? Effect.exit(Effect.interrupt)
    : Effect.exit(Effect.interruptible(Effect.timeoutOption(ended, answerTimeout)))
  const answer = Exit.isSuccess(answered) ? answered.value : yield* Effect.timeoutOption(ended, stopTimeout)
  if (Option.isSome(answer)) return yield* Effect.asVoid(answer.value)
  yield* Fiber.interrupt(sending)
  return yield* Exit.isSuccess(answered) ? unanswered(answerTimeout) : stopped
})
