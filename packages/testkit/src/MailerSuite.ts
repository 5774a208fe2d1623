/** What every Mailer promises. Where mails arrive, and how they are read there, is told by whoever runs this. */
import { assert, describe } from "@effect/vitest"
import { Mailer, type MailMessage } from "@partner-commentary/core/mail/Mailer"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { guarantees } from "./Guarantee.ts"

/** A mail as it arrived, decoded. */
export interface Arrived {
  readonly messageId: string
  readonly to: { readonly name: string; readonly address: string }
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** `arrived` reads all mails that were handed over, oldest first. */
export const suite = <R, E, E2>(
  name: string,
  layer: Layer.Layer<Mailer | R, E>,
  arrived: Effect.Effect<ReadonlyArray<Arrived>, E2, R>
): void => {
  describe(`${name}: Mailer`, () => {
    const it = guarantees(layer)

    it("a mail arrives with every character it was sent with", () =>
      Effect.gen(function* () {
        const mailer = yield* Mailer
        yield* mailer.send(message)
        const [mail] = yield* arrived
        assert.deepEqual(mail?.to, message.to)
        assert.strictEqual(mail?.subject, message.subject)
        assert.strictEqual(mail?.text.trim(), message.text)
        assert.strictEqual(mail?.html.trim(), message.html)
      }))

    it("another attempt has the same Message-ID, another mail another one", () =>
      Effect.gen(function* () {
        const mailer = yield* Mailer
        yield* mailer.send(message)
        yield* mailer.send(message)
        yield* mailer.send({ ...message, id: "0198c0de-0000-7000-8000-000000000002.request" })
        const ids = new Set((yield* arrived).map(({ messageId }) => messageId))
        assert.strictEqual(ids.size, 2)
        assert.isTrue([...ids].some((id) => id.includes(message.id)))
      }))
  })
}

const message: MailMessage = {
  id: "0198c0de-0000-7000-8000-000000000001.request",
  to: { name: "Zoë Ødegård", address: "zoe@example.org" },
  subject: "Wér gewinnt das Derby? 🏆 — a request with a subject that is longer than one line of a header may be",
  text: "Hello Zoë,\n\n.a line with a dot\nÆ Ø Å 🏆 and a line that is long: ".concat("x".repeat(1200)),
  html: "<p>Hello Zoë,</p><p>Æ Ø Å 🏆 &amp; more</p>"
}
