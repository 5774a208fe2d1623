/**
 * Starts a real loopback server that implements the parts of the chat-completions protocol that the tests need. Two
 * helpers wait until the server reaches a state, in real time or with the test clock.
 */
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"

export interface SeenRequest {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: Http.IncomingHttpHeaders
  readonly body: string
}

export type ScriptedResponse = (response: Http.ServerResponse, seen: SeenRequest) => void

/** The counter `closed` counts the calls whose connection closed before the response was complete. */
export interface ScriptedServer {
  readonly url: string
  readonly seen: Array<SeenRequest>
  readonly closed: () => number
}

export const startScriptedServer = (answer: ScriptedResponse) =>
  Effect.acquireRelease(
    Effect.callback<ScriptedServer & { readonly server: Http.Server }>((resume) => {
      const seen: Array<SeenRequest> = []
      let closed = 0
      const server = Http.createServer((request, response) => {
        const chunks: Array<Buffer> = []
        response.on("close", () => {
          if (!response.writableFinished) closed += 1
        })
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const { method, url: path, headers } = request
          const call = { method, path, headers, body: Buffer.concat(chunks).toString("utf8") }
          seen.push(call)
          answer(response, call)
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed({ server, seen, closed: () => closed, url: `http://127.0.0.1:${port}/v1` }))
      })
    }),
    ({ server }) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

export const makeJsonResponse =
  (status: number, body: unknown, headers: Record<string, string> = {}): ScriptedResponse =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers })
    response.end(typeof body === "string" ? body : JSON.stringify(body))
  }

export const makeChatCompletion = (message: Record<string, unknown>, finish_reason: string | null = "stop") => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 0,
  model: "m",
  choices: [{ index: 0, finish_reason, logprobs: null, message: { role: "assistant", ...message } }]
})

/** The helper waits in real time, because fetch does not follow the test clock. */
export const waitUntil = (condition: () => boolean) =>
  Effect.sleep("10 millis").pipe(
    Effect.repeat({ until: () => condition() }),
    Effect.timeout("5 seconds"),
    Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
  )

/** Advances the test clock after the server has received the request. */
export const advanceClockAfterRequest = (time: Duration.Duration) => (server: ScriptedServer) =>
  Effect.andThen(
    waitUntil(() => server.seen.length === 1),
    TestClock.adjust(time)
  )
