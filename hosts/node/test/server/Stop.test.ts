/** Tests how a stopping listener answers the requests of open connections. */
import { type AddressInfo, connect } from "node:net"
import * as Listener from "@partner-commentary/node/server/Listener"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Scope from "effect/Scope"
import { expect, it, onTestFinished, vi } from "vitest"

/** Starts a listener whose responses wait for `ready`. `requests` counts the requests. */
const serve = async (ready: Effect.Effect<void>) => {
  const scope = Scope.makeUnsafe()
  const stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
  onTestFinished(stop)
  const requests = vi.fn()
  const respond = Effect.as(Effect.andThen(Effect.sync(requests), ready), HttpServerResponse.text("done"))
  const started = Effect.gen(function* () {
    const { native, open, server } = yield* Listener.bindPort("127.0.0.1", 0, "PORT")
    yield* server.serve(respond)
    yield* open
    return (native.address() as AddressInfo).port
  })
  return { port: await Effect.runPromise(Scope.provide(started, scope)), requests, stop }
}

const openConnection = (port: number) => {
  let heard = ""
  const socket = connect(port, "127.0.0.1").setEncoding("utf8")
  socket.on("data", (text) => {
    heard += text
  })
  onTestFinished(() => void socket.destroy())
  const closed = new Promise<void>((resolve, reject) => socket.on("error", reject).on("close", () => resolve()))
  return {
    closed,
    send: (count = 1) => socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(count)),
    /** Returns the `Connection` header of each response. */
    connectionHeaders: () =>
      [...heard.matchAll(/HTTP\/1\.1 200 [\s\S]*?^Connection: (.*)\r$/gm)].map(([, value]) => value)
  }
}

it("a stopping listener finishes running requests, and the last response of each connection has `Connection: close`", async () => {
  const ready = Deferred.makeUnsafe<void>()
  const { port, requests, stop } = await serve(Deferred.await(ready))
  const [one, pipelined] = [openConnection(port), openConnection(port)]
  one.send()
  pipelined.send(3)
  await expect.poll(() => requests.mock.calls.length).toBe(2)
  const stopped = stop()
  Deferred.doneUnsafe(ready, Effect.void)
  await Promise.all([one.closed, pipelined.closed, stopped])
  expect(one.connectionHeaders()).toEqual(["close"])
  expect(pipelined.connectionHeaders()).toEqual(["keep-alive", "keep-alive", "close"])
})

it("a request that arrives on an idle connection when the stop starts is answered with `Connection: close`", async () => {
  const { port, stop } = await serve(Effect.void)
  const { closed, connectionHeaders, send } = openConnection(port)
  send()
  await expect.poll(connectionHeaders).toEqual(["keep-alive"])
  const stopped = stop()
  send()
  await Promise.all([closed, stopped])
  expect(connectionHeaders()).toEqual(["keep-alive", "close"])
})
