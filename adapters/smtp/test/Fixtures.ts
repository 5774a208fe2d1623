/** Provides a sample mail, and helpers that build a mailer and read mails. */
import { Mailer, type MailMessage } from "@partner-commentary/core/mail/Mailer"
import type { ReceivedMail } from "@partner-commentary/testkit/MailerSuite"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Email } from "postal-mime"

export const senderAddress = "Partner Commentary <notices@mail.example.com>"

export const makeMessage = (changes: Partial<MailMessage> = {}): MailMessage => ({
  id: "topic-sent.0198c0de-0000-7000-8000-000000000001",
  to: { name: "Ada Lovelace", address: "ada@example.com" },
  subject: "A topic for you",
  text: "Hello Ada,\n\nplease answer.",
  html: "<p>Hello Ada,</p><p>please answer.</p>",
  ...changes
})

/** Builds the layer and returns its mailer. */
export const makeMailer = <E>(layer: Layer.Layer<Mailer, E>) =>
  Effect.map(Layer.build(layer), (context) => Context.get(context, Mailer))

/** Converts a parsed mail to the form that the mailer conformance suite compares with the sent mail. */
export const toReceivedMail = ({ html = "", messageId = "", subject = "", text = "", to }: Email): ReceivedMail => ({
  messageId,
  to: { name: to?.[0]?.name ?? "", address: to?.[0]?.address ?? "" },
  subject,
  text,
  html
})
