import * as Listener from "@partner-commentary/node/Listener"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"

it("a request that trickles in is given up within seconds of its minute", async () => {
  const patience = await Effect.runPromise(
    Effect.scoped(
      Effect.map(Listener.bind("127.0.0.1", 0, "PORT"), ({ native }) => ({
        whole: native.requestTimeout,
        headers: native.headersTimeout
      }))
    )
  )
  expect(patience).toEqual({ whole: 60_000, headers: 20_000 })
})
