/** Tests the guarantees of the Mailer port. The caller of the suite provides access to the received mails. */
import { assert, describe } from "@effect/vitest"
import { Mailer, type MailMessage } from "@partner-commentary/core/mail/Mailer"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

/** A received mail after decoding. */
export interface ReceivedMail {
  readonly messageId: string
  readonly to: { readonly name: string; readonly address: string }
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** `arrived` reads all sent mails, oldest first. */
export const suite = <R, E, E2>(
  name: string,
  layer: Layer.Layer<Mailer | R, E>,
  arrived: Effect.Effect<ReadonlyArray<ReceivedMail>, E2, R>
): void => {
  describe(`${name}: Mailer`, () => {
    const it = makeGuaranteeTest(layer)

    it("a mail arrives with every character unchanged", () =>
      Effect.gen(function* () {
        const mailer = yield* Mailer
        yield* mailer.send(message)
        const [mail] = yield* arrived
        assert.deepEqual(mail?.to, message.to)
        assert.strictEqual(mail?.subject, message.subject)
        assert.strictEqual(mail?.text.trim(), message.text)
        assert.strictEqual(mail?.html.trim(), message.html)
      }))

    it("a repeated mail has the same Message-ID, and another mail has a different Message-ID", () =>
      Effect.gen(function* () {
        const mailer = yield* Mailer
        yield* mailer.send(message)
        yield* mailer.send(message)
        for (const id of others) yield* mailer.send({ ...message, id })
        const arrivedIds = [...new Set((yield* arrived).map(({ messageId }) => messageId))]
        assert.strictEqual(arrivedIds.length, 1 + others.length)
        for (const id of [message.id, ...others])
          assert.isTrue(arrivedIds.some((arrived) => arrived.includes(`${id}@`)))
      }))
  })
}

const shareId = "0198c0de-0000-7000-8000-000000000001"

/**
 * Ids in the core's format: ids of other kinds, of a later draft, of a mail that the operator resent, and of another
 * assignment.
 */
const others = [
  `${shareId}.approval_reminder-1`,
  `${shareId}.draft-2`,
  `${shareId}.draft-2.again-1700000000000`,
  "0198c0de-0000-7000-8000-000000000002.request"
]

const message: MailMessage = {
  id: `${shareId}.request`,
  to: { name: "Zoë Ødegård", address: "zoe@example.org" },
  subject: "Wér gewinnt das Derby? 🏆 — a request with a subject that is longer than one line of a header may be",
  text: "Hello Zoë,\n\n.a line with a dot\nÆ Ø Å 🏆 and a line that is long: ".concat("x".repeat(1200)),
  html: "<p>Hello Zoë,</p><p>Æ Ø Å 🏆 &amp; more</p>"
}
