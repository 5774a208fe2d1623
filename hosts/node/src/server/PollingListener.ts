/** Answers status polls from the native request, before the router sees them. Every other request goes to the router. */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { type Answer, Polling } from "@partner-commentary/server/routes/topics/Polling"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { whenResponseEnds } from "./ResponseEnd.ts"

const write = (response: ServerResponse, { body, headers, status }: Answer) => {
  response.writeHead(status, status === 304 ? headers : { ...headers, "content-length": Buffer.byteLength(body) })
  response.end(body)
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Call `listenForPolls` after the router has added its listeners. */
export const listenForPolls = Effect.fnUntraced(function* (native: Server) {
  const polling = yield* Polling
  const run = Effect.runCallbackWith(yield* Effect.context<never>())
  const routed = native.listeners("request") as Array<Listener>

  const poll: Listener = (request, response) => {
    const { headers, method, socket, url } = request
    const taken = whenResponseEnds(response)
    const answer = polling.answer({ method, url, headers, address: socket.remoteAddress, whenResponseEnds: taken })
    if (Option.isNone(answer)) {
      for (const listener of routed) listener(request, response)
      return
    }
    const stop = run(answer.value, {
      onExit: (exit) => {
        if (Exit.isFailure(exit)) response.destroy()
        else write(response, exit.value)
      }
    })
    if (response.writableEnded) return
    response.once("close", () => {
      if (!response.writableEnded) stop()
    })
  }

  native.removeAllListeners("request")
  native.on("request", poll)
})
