import { describe, it } from "@effect/vitest"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { Webhook } from "standardwebhooks"
import { assert } from "vitest"
import * as Instant from "../../src/shared/Instant.ts"
import * as WebhookSignature from "../../src/webhook/WebhookSignature.ts"

const signed = (secret: string, message: WebhookSignature.WebhookContentToSign) =>
  Effect.flatMap(Mac.Mac, (mac) => WebhookSignature.sign(mac, [Redacted.make(secret)], message)).pipe(
    Effect.provide(Mac.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto)))
  )

const encoded = (bytes: Uint8Array) => `whsec_${Buffer.from(bytes).toString("base64")}`

const whsec = fc.uint8Array({ minLength: 24, maxLength: 64 }).map(encoded)
const printable = fc
  .string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 256 })
  .map((text) => `s${text}`.padEnd(32, "x").slice(0, 256))

/**
 * Generates any code point. The unit "binary" of fast-check is slower, because fast-check first fills a table of all
 * code points.
 */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code))

const bodies = fc.oneof(
  fc.constant(""),
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: "grapheme" }),
  fc.json(),
  fc.constant("\ud800 alone"),
  fc.integer({ min: 1, max: 100_000 }).map((length) => "é".repeat(length))
)

/** Verifies the headers and body as a receiver does. */
const isAccepted = (receiver: Webhook, headers: Record<string, string>, body: string) => {
  try {
    receiver.verify(Buffer.from(body), headers, { jsonParse: false })
    return true
  } catch {
    return false
  }
}

describe("Webhook signatures", () => {
  for (const [format, secrets] of [
    ["a whsec_ secret", whsec],
    ["a secret of plain characters", printable]
  ] as const) {
    it.live(`the signature with ${format} is accepted by the reference implementation, for every body`, () =>
      Effect.gen(function* () {
        const at = yield* Instant.now
        const samples = fc.sample(fc.tuple(secrets, bodies, fc.uuid()), { numRuns: 100, seed: 7 })
        for (const [secret, body, id] of samples) {
          const headers = yield* signed(secret, { id: `evt_${id}`, at, body })
          const receiver = secrets === whsec ? new Webhook(secret) : new Webhook(secret, { format: "raw" })
          assert.isTrue(isAccepted(receiver, headers, body), secret)
          assert.isFalse(isAccepted(receiver, headers, `${body} `))
          assert.isFalse(isAccepted(receiver, { ...headers, "webhook-id": "evt_other" }, body))
          const later = String(Number(headers["webhook-timestamp"]) + 1)
          assert.isFalse(isAccepted(receiver, { ...headers, "webhook-timestamp": later }, body))
        }
      })
    )
  }

  it.effect("the webhook signature equals the example of the Standard Webhooks specification", () =>
    Effect.gen(function* () {
      const headers = yield* signed("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", {
        id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
        at: 1614265330_999,
        body: '{"test": 2432232314}'
      })
      assert.deepStrictEqual(headers, {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
      })
    })
  )

  it.effect("a secret is accepted as a webhook signing key only if its length and characters are valid", () =>
    Effect.sync(() => {
      const of = (length: number) => encoded(new Uint8Array(length).fill(255))
      for (const secret of [
        of(24),
        of(64),
        "x".repeat(32),
        "x".repeat(256),
        ` ${"~".repeat(31)}`,
        "WHSEC_".padEnd(32)
      ]) {
        assert.isTrue(Option.isSome(WebhookSignature.decodeSigningKey(secret)), secret)
      }
      for (const secret of [
        of(23),
        of(65),
        "",
        "whsec_",
        "x".repeat(31),
        "x".repeat(257),
        `é${"x".repeat(32)}`,
        `${"x".repeat(32)}\n`,
        `${"x".repeat(32)}\x7f`,
        `whsec_${"-_".repeat(16)}`,
        of(25).replace(/=+$/, ""),
        `${of(24)}\n`,
        `${of(25).slice(0, -3)}9==`
      ]) {
        assert.isTrue(Option.isNone(WebhookSignature.decodeSigningKey(secret)), JSON.stringify(secret))
      }
    })
  )

  it.effect("signing with an invalid secret dies with an error that does not contain the secret", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(signed("too short", { id: "evt_1", at: 0, body: "" }))
      assert.strictEqual(exit._tag, "Failure")
      assert.notInclude(JSON.stringify(exit), "too short")
    })
  )
})
