import { type AddressInfo, connect, type Socket } from "node:net"
import * as Listener from "@partner-commentary/node/server/Listener"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { expect, it, vi } from "vitest"

const responseTo = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    let heard = ""
    const get = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    const socket = connect(port, "127.0.0.1", () => socket.write(get))
    socket.setEncoding("utf8").on("data", (text) => {
      heard += text
    })
    socket.on("error", reject).on("close", () => resolve(heard))
  })

it("the listener passes the head and the text body of a response to the socket in one write", () =>
  Effect.gen(function* () {
    const { native, open, server } = yield* Listener.bindPort("127.0.0.1", 0, "PORT")
    yield* server.serve(Effect.succeed(HttpServerResponse.text("Zoë")))
    const write = vi.fn()
    native.on("connection", (socket: Socket) => {
      socket.write = write.mockImplementation(socket.write.bind(socket))
    })
    yield* open
    const heard = yield* Effect.promise(() => responseTo((native.address() as AddressInfo).port))
    expect(heard).toMatch(/content-length: 4\r\n/)
    expect(heard.endsWith("\r\n\r\nZoë")).toBe(true)
    expect(write).toHaveBeenCalledTimes(1)
  }).pipe(Effect.scoped, Effect.runPromise))
