/** A mailer that stores mails in memory. A test can make the mailer refuse mails. */
import { Mailer, type MailMessage, MailRefused } from "@partner-commentary/core/mail/Mailer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export class Mailbox extends Context.Service<
  Mailbox,
  {
    /** All mails in the order in which they were sent. */
    readonly all: Effect.Effect<ReadonlyArray<MailMessage>>
    readonly to: (address: string) => Effect.Effect<ReadonlyArray<MailMessage>>
    /** Makes the next mails fail, one mail for each argument. */
    readonly refuseNext: (...refusals: ReadonlyArray<{ readonly permanent: boolean }>) => Effect.Effect<void>
  }
>()("@partner-commentary/test/Mailbox") {
  static readonly layer: Layer.Layer<Mailbox | Mailer> = Layer.effectContext(
    Effect.sync(() => {
      const sent: Array<MailMessage> = []
      const refusals: Array<{ readonly permanent: boolean }> = []
      const mailbox = Mailbox.of({
        all: Effect.sync(() => [...sent]),
        to: (address) => Effect.sync(() => sent.filter((mail) => mail.to.address === address)),
        refuseNext: (...next) => Effect.sync(() => void refusals.push(...next))
      })
      const mailer = Mailer.of({
        send: (message) =>
          Effect.suspend(() => {
            const refusal = refusals.shift()
            if (!/^[\w.-]{1,200}$/.test(message.id)) return Effect.die(`no mailer takes this id: ${message.id}`)
            if (refusal !== undefined) return Effect.fail(new MailRefused({ ...refusal, reason: "refused as told" }))
            sent.push(message)
            return Effect.void
          })
      })
      return Context.make(Mailbox, mailbox).pipe(Context.add(Mailer, mailer))
    })
  )
}

/** Returns the creator's token from the link in a mail. */
export const extractCreatorToken = (mail: Pick<MailMessage, "text">): string => {
  const found = /\/creator\/([\w-]+\.[\w-]+)/.exec(mail.text)
  return found?.[1] ?? ""
}
