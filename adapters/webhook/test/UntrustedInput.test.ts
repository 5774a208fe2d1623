import * as Http from "node:http"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { listenHttp, listenTcp, makeLocalUrl, makeTransport, makeWebhookRequest } from "./Receivers.ts"

describe("Input from the environment and the caller", () => {
  it.live("a proxy setting of the environment or the caller is never used", () =>
    Effect.gen(function* () {
      const proxy = yield* listenHttp((_, answer) => answer.end("proxied"))
      const { port } = yield* listenHttp((_, answer) => answer.end("direct"))
      const variables = {
        HTTP_PROXY: makeLocalUrl(proxy.port),
        http_proxy: makeLocalUrl(proxy.port),
        ALL_PROXY: makeLocalUrl(proxy.port)
      }
      const before = { ...process.env }
      Object.assign(process.env, variables, { NODE_USE_ENV_PROXY: "1" })
      const restore = Http.setGlobalProxyFromEnv(variables)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          restore()
          process.env = before
        })
      )
      const { send } = yield* makeTransport()
      assert.strictEqual((yield* send(makeWebhookRequest(makeLocalUrl(port)))).excerpt, "direct")
      assert.strictEqual(proxy.connections(), 0)
    })
  )

  it.live("line breaks in the value of a header or in a URL cannot add a header or a second request", () =>
    Effect.gen(function* () {
      const heard: Array<string> = []
      const { port, connections } = yield* listenTcp((socket) =>
        socket.on("data", (data) => {
          heard.push(data.toString())
          socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        })
      )
      const { send } = yield* makeTransport()
      for (const value of ["a\r\nX-Evil: 1", "a\nX-Evil: 1", "a\0"]) {
        const exit = yield* Effect.exit(
          send({ ...makeWebhookRequest(makeLocalUrl(port)), headers: { "webhook-id": value } })
        )
        assert.strictEqual(exit._tag, "Failure")
      }
      assert.strictEqual(connections(), 0)
      yield* send(makeWebhookRequest(makeLocalUrl(port, "/a%0d%0aX-Evil:%201?b=%0D%0A%0D%0AGET%20/")))
      const [head] = heard.join("").split("\r\n\r\n")
      assert.match(head!, /^POST \/a%0d%0aX-Evil:%201\?b=%0D%0A%0D%0AGET%20\/ HTTP\/1\.1\r\n/)
      assert.notMatch(head!, /\n(X-Evil|GET)/)
    })
  )

  it.live("headers of the caller cannot change the host or the length of the request", () =>
    Effect.gen(function* () {
      const { port } = yield* listenHttp((call, answer) => {
        answer.end(`${call.headers.host} ${call.headers["content-length"]} ${call.headers["user-agent"]}`)
      })
      const { send } = yield* makeTransport()
      const headers = { host: "evil.example.com", "content-length": "1", "user-agent": "mine" }
      const { excerpt } = yield* send({ ...makeWebhookRequest(makeLocalUrl(port)), headers, body: "é" })
      assert.strictEqual(excerpt, `127.0.0.1:${port} 2 mine`)
    })
  )
})
