/** Tests the timeouts for sending a mail, and the outcome of a mail that was sent completely but got no reply. */
import { assert, describe, it } from "@effect/vitest"
import type { MailRefused } from "@partner-commentary/core/mail/Mailer"
import { layer, type SmtpMailerOptions } from "@partner-commentary/smtp/SmtpMailer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { makeMailer, makeMessage, senderAddress } from "../test/Fixtures.ts"
import { makeSmtpReplyError, startMailServer, startScriptedSmtpServer } from "../test/MailServer.ts"

const to = (port: number, options: Partial<SmtpMailerOptions> = {}) =>
  makeMailer(
    layer({ url: Redacted.make(`smtp://127.0.0.1:${port}`), from: senderAddress, timeout: "5 seconds", ...options })
  )

/** Starts a server that delays each reply by `milliseconds`. */
const slow = (milliseconds: number) => {
  let most = 0
  let present = 0
  const late = (_: unknown, __: unknown, done: (error?: Error | null) => void) => {
    setTimeout(() => done(), milliseconds)
  }
  return {
    most: () => most,
    server: startMailServer({
      onConnect: (_, done) => {
        most = Math.max(most, ++present)
        setTimeout(() => done(), milliseconds)
      },
      onClose: () => void present--,
      onMailFrom: late,
      onRcptTo: late
    })
  }
}

describe.concurrent("Slow SMTP server", () => {
  it.live(
    "a slow server receives each of 60 mails once, and the mailer opens no more connections than configured",
    () =>
      Effect.gen(function* () {
        const { most, server } = slow(60)
        const { port, received } = yield* server
        // A single mail takes about 200 ms, and all mails together take about 4 s.
        const { send } = yield* to(port, { connections: 3, timeout: "2 seconds" })
        const ids = Array.from({ length: 60 }, (_, index) => `mail-${index}`)
        yield* Effect.forEach(ids, (id) => send(makeMessage({ id })), { concurrency: "unbounded" })
        assert.deepStrictEqual(
          received.map(({ email }) => email.messageId?.replace(/^<(.*)@.*$/, "$1")).toSorted(),
          ids.toSorted()
        )
        assert.strictEqual(most(), 3)
      })
  )

  it.live("the final reply of a slow server has a longer timeout than the earlier steps", () =>
    Effect.gen(function* () {
      const server = yield* startScriptedSmtpServer((socket) => setTimeout(() => socket.write("250 taken\r\n"), 1500))
      const { send } = yield* to(server.port, { timeout: "1 second", answerTimeout: "10 seconds" })
      yield* send(makeMessage())
    })
  )
})

describe.concurrent("the mail server's reply after a whole mail was sent", () => {
  it.live(
    "a completely sent mail is reported as unanswered, not as refused, if the connection breaks before the reply",
    () =>
      Effect.gen(function* () {
        const breaking = yield* startScriptedSmtpServer((socket) => socket.destroy())
        const whole = yield* Effect.flip((yield* to(breaking.port)).send(makeMessage()))
        assert.deepInclude(whole, { permanent: false, unanswered: true })

        const refusing = yield* startScriptedSmtpServer((socket) => socket.write("451 not now\r\n"))
        const answered = yield* Effect.flip((yield* to(refusing.port)).send(makeMessage()))
        assert.isUndefined(answered.unanswered, answered.reason)

        const early = yield* startMailServer({ onRcptTo: (_, __, done) => done(makeSmtpReplyError(421, "going down")) })
        const begun = yield* Effect.flip((yield* to(early.port)).send(makeMessage()))
        assert.isUndefined(begun.unanswered, begun.reason)
      })
  )

  it.live("a completely sent mail that gets no reply in time is reported as unanswered", () =>
    Effect.gen(function* () {
      const server = yield* startScriptedSmtpServer(() => undefined)
      const refused = yield* Effect.flip((yield* to(server.port, { answerTimeout: "300 millis" })).send(makeMessage()))
      assert.deepInclude(refused, { permanent: false, unanswered: true })
      assert.isUndefined(refused.stopped)
      assert.match(refused.reason, /did not answer within 300ms after the whole mail: it may have arrived/)
    })
  )
})

describe.concurrent("Stop of the service", () => {
  /**
   * Sends the mail in an uninterruptible region, as the core does, and interrupts the send when `whole` completes.
   * `whole` completes when the server has received the complete mail.
   */
  const stopped = Effect.fnUntraced(function* (
    answer: (socket: { readonly write: (text: string) => unknown }) => void
  ) {
    const whole = yield* Deferred.make<void>()
    const server = yield* startScriptedSmtpServer((socket) => {
      Deferred.doneUnsafe(whole, Exit.void)
      answer(socket)
    })
    const { send } = yield* to(server.port, { stopTimeout: "2 seconds" })
    const outcome = yield* Deferred.make<Exit.Exit<void, unknown>>()
    const sending = yield* Effect.forkChild(
      Effect.uninterruptible(
        Effect.flatMap(Effect.exit(send(makeMessage())), (exit) => Deferred.succeed(outcome, exit))
      )
    )
    yield* Deferred.await(whole)
    yield* Fiber.interrupt(sending)
    return yield* Deferred.await(outcome)
  })

  it.live("a stop of the service waits for the reply to a completely sent mail", () =>
    Effect.gen(function* () {
      const outcome = yield* stopped((socket) => setTimeout(() => socket.write("250 taken\r\n"), 300))
      assert.isTrue(Exit.isSuccess(outcome))
    })
  )

  it.live(
    "a stop of the service waits for a reply until the stop timeout, and the mail then fails as unanswered because of the stop",
    () =>
      Effect.gen(function* () {
        const outcome = yield* Effect.flip(Effect.flatten(Effect.succeed(yield* stopped(() => undefined))))
        assert.deepInclude(outcome as object, { permanent: false, unanswered: true, stopped: true })
        assert.match((outcome as MailRefused).reason, /stopped before the mail server answered the whole mail: it may/)
      })
  )

  it.live(
    "a stop of the service aborts a mail that is not completely sent, and a mail that waits for a connection",
    () =>
      Effect.gen(function* () {
        const stuck = yield* startMailServer({ onRcptTo: () => undefined })
        const { send } = yield* to(stuck.port, { connections: 1 })
        const sending = yield* Effect.forEach([1, 2], () =>
          Effect.forkChild(Effect.uninterruptible(Effect.exit(send(makeMessage()))))
        )
        yield* Effect.sleep("10 millis").pipe(Effect.repeat({ until: () => stuck.open.size === 1 }))
        yield* Fiber.interruptAll(sending).pipe(Effect.timeout("2 seconds"))
        assert.strictEqual(stuck.received.length, 0)
      })
  )
})
