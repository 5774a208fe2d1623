import { assert, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Encryption } from "../../src/shared/Encryption.ts"
import { WebhookId } from "../../src/shared/Ids.ts"
import * as WebhookSender from "../../src/webhook/WebhookSender.ts"
import { WebhookTransport } from "../../src/webhook/WebhookTransport.ts"

const start = Date.parse("2026-03-01T09:00:00.000Z")

/** Simulates the clock of a slow machine: a tenth of a second passes after each read of the clock. */
const stalling = (): Clock.Clock & { readonly present: () => number } => {
  let passed = 0
  const look = () => {
    const seen = passed
    passed += 100
    return seen
  }
  const wall = () => start + look()
  const nanos = () => BigInt(look()) * 1_000_000n
  return {
    present: () => start + passed,
    currentTimeMillisUnsafe: wall,
    currentTimeMillis: Effect.sync(wall),
    currentTimeNanosUnsafe: () => BigInt(wall()) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(wall()) * 1_000_000n),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: () => Effect.void
  }
}

it.effect("a receiver gets the request between the attempt's recorded start and end, even on a slow machine", () =>
  Effect.gen(function* () {
    const clock = stalling()
    let arrived = 0
    const send = yield* WebhookSender.make.pipe(
      Effect.provideService(Encryption, {
        encrypt: (_, text) => Effect.succeed(text),
        decrypt: () => Effect.succeed(Option.some(`whsec_${btoa("a secret of twenty-four by")}`))
      }),
      Effect.provideService(WebhookTransport, {
        check: () => Effect.void,
        send: () =>
          Effect.sync(() => {
            arrived = clock.present()
            return { status: 204, retryAfter: null, excerpt: "" }
          })
      }),
      Effect.provide(Layer.provide(Mac.layerWebCrypto, SecureRandom.layerWebCrypto))
    )
    const webhook = { id: WebhookId.make("019c0e1b-7c4e-7000-8000-000000000001"), url: "https://example.com/" }
    const { at, duration } = yield* Effect.provideService(
      send({
        webhook,
        encryptedSecret: "sealed",
        formerSecret: null,
        eventId: "evt_1",
        logContext: () => ({}),
        payload: "{}"
      }),
      Clock.Clock,
      clock
    )
    assert.isAtLeast(arrived, at)
    assert.isAtMost(arrived, at + duration)
  })
)
