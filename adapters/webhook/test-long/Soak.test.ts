import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  findUnusedPort,
  listenHttp,
  listenTcp,
  makeLocalUrl,
  makeTransport,
  makeWebhookRequest,
  waitForOpenConnections,
  writeEndlessly
} from "../test/Receivers.ts"

describe("Delivery of ten thousand events", () => {
  it.live(
    "ten thousand requests to working and failing receivers have the expected outcomes, and leak no memory or connections",
    () =>
      Effect.gen(function* () {
        const good = yield* listenHttp((call, answer) => call.resume().on("end", () => answer.end("ok")))
        const pouring = yield* listenTcp((socket) => socket.once("data", () => writeEndlessly(socket)))
        const hanging = yield* listenTcp(() => undefined)
        const resetting = yield* listenTcp((socket) => socket.once("data", () => socket.resetAndDestroy()))
        const strange = yield* listenTcp((socket) => socket.once("data", () => socket.end("220 welcome\r\n")))
        const unreachableUrl = yield* findUnusedPort
        const receivers = [
          [good.port, "200"],
          [good.port, "200"],
          [pouring.port, "200"],
          [hanging.port, "timeout"],
          [resetting.port, "reset"],
          [strange.port, "http"],
          [unreachableUrl, "refused"]
        ] as const
        const { send } = yield* makeTransport()
        let most = 0
        const watch = setInterval(() => {
          most = Math.max(most, process.memoryUsage().arrayBuffers)
        }, 20)
        yield* Effect.addFinalizer(() => Effect.sync(() => clearInterval(watch)))
        const events = Array.from({ length: 10_000 }, (_, at) => receivers[at % receivers.length]!)
        const outcomes = yield* Effect.forEach(
          events,
          ([port, expected]) =>
            Effect.match(
              send(makeWebhookRequest(makeLocalUrl(port), expected === "timeout" ? "1 second" : "30 seconds")),
              {
                onSuccess: ({ status }) => String(status),
                onFailure: ({ failure }) => failure
              }
            ),
          { concurrency: 200 }
        )
        assert.deepStrictEqual(
          outcomes.filter((outcome, at) => outcome !== events[at]![1]),
          []
        )
        assert.isBelow(most, 128 * 1024 * 1024)
        const receiving = [good, pouring, hanging, resetting, strange]
        yield* Effect.timeout(
          Effect.forEach(receiving, (receiver) => waitForOpenConnections(receiver, 0)),
          "10 seconds"
        )
      })
  )
})
