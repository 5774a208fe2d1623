/**
 * `node bench/deliveries.ts` measures how many signed events a second the webhook transport delivers to one receiver in
 * a separate process. This benchmark measures neither storage nor the delivery worker.
 */
import { fork } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as WebhookSignature from "@partner-commentary/core/webhook/WebhookSignature"
import { WebhookTransport } from "@partner-commentary/core/webhook/WebhookTransport"
import { layer } from "@partner-commentary/webhook/NodeWebhookTransport"
import * as Clock from "effect/Clock"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const receiver = () => {
  const server = createServer((call, answer) => {
    call.resume().on("end", () => answer.writeHead(204).end())
  })
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port))
}

const body = JSON.stringify({ type: "creator.approved", data: { content: "x".repeat(600) } })
const secret = Redacted.make("x".repeat(32))

const deliver = Effect.fnUntraced(function* (port: number, took: Array<number>) {
  const { send } = yield* WebhookTransport
  const at = yield* Clock.currentTimeMillis
  const begun = performance.now()
  const signature = yield* WebhookSignature.sign(yield* Mac.Mac, [secret], { id: "evt_1", at, body })
  const headers = { "content-type": "application/json", ...signature }
  yield* send({ url: `http://127.0.0.1:${port}/`, headers, body, timeout: Duration.seconds(15) })
  took.push(performance.now() - begun)
})

const measure = Effect.fnUntraced(function* (port: number, concurrency: number, events: number) {
  const took: Array<number> = []
  const [whole] = yield* Effect.timed(
    Effect.forEach(Array.from({ length: events }), () => deliver(port, took), { concurrency, discard: true })
  )
  took.sort((one, other) => one - other)
  const at = (part: number) => took[Math.floor(took.length * part)]!.toFixed(2)
  const perSecond = Math.round(events / Duration.toSeconds(whole))
  return `${concurrency} at a time: ${perSecond} events/s, median ${at(0.5)} ms, 99th percentile ${at(0.99)} ms`
})

const main = (port: number) =>
  Effect.gen(function* () {
    yield* measure(port, 5, 3000)
    for (const concurrency of [1, 5, 32]) process.stdout.write(`${yield* measure(port, concurrency, 10_000)}\n`)
  }).pipe(
    Effect.provide([layer({ allowPrivate: true }), Mac.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto))])
  )

if (process.send !== undefined) receiver()
else {
  const child = fork(import.meta.filename)
  child.once("message", (port) => {
    void Effect.runPromise(main(port as number)).finally(() => child.kill())
  })
}
