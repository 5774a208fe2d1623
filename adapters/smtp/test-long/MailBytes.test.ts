/** Compares the bytes of a mail with the bytes that nodemailer's own streams build. */
import { assert, it } from "@effect/vitest"
import { renderMailBytes } from "@partner-commentary/smtp/MailBytes"
import { parseMailSender } from "@partner-commentary/smtp/MailSetting"
import { composeMimeMessage } from "@partner-commentary/smtp/MimeMessage"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import MailComposer from "nodemailer/lib/mail-composer"
import { makeMessage, senderAddress } from "../test/Fixtures.ts"

const texts = [
  "",
  " ",
  "Hello",
  "Hello\n",
  "Hello\r\n\r\nyou\r\n",
  "A\rB",
  ".\n..\n.\r\n.",
  "trailing space \nand tab\t\n ",
  "a=b == =3D",
  "Grüße, 東京 🏀",
  "東京".repeat(60),
  "🏀".repeat(60),
  "x".repeat(75),
  "x".repeat(76),
  "x".repeat(77),
  "x".repeat(998),
  `${"x".repeat(76)}\n${"y".repeat(77)}`,
  "Will the youngest team win, and why? ".repeat(40),
  "Größe, ja. ".repeat(6000)
]

/**
 * Removes soft line breaks, which mail readers also remove. If the last line ends with a space, nodemailer's streams
 * may put a soft line break at another place.
 */
const removeSoftLineBreaks = (bytes: Buffer) => bytes.toString().replaceAll("=\r\n", "")

it.effect("a mail has the bytes that nodemailer's own streams build", () =>
  Effect.gen(function* () {
    const sender = Result.getOrThrow(parseMailSender(senderAddress))
    const now = yield* DateTime.now
    for (const text of texts) {
      for (const html of texts) {
        const mail = Result.getOrThrow(composeMimeMessage(sender, makeMessage({ text, html, subject: text }), now))
        const compiled = () => new MailComposer({ ...mail, baseBoundary: "same" }).compile()
        const expected = yield* Effect.promise(() => compiled().build())
        assert.strictEqual(removeSoftLineBreaks(renderMailBytes(compiled())), removeSoftLineBreaks(expected))
      }
    }
  })
)
