/**
 * Lets requests begin in the turn of their caller, whom the credentials tell, or else the address. A request whose client has gone
 * by then is dropped without work.
 */
import type { IncomingMessage, Server } from "node:http"
import type { FairScheduler } from "@partner-commentary/server/middleware/FairScheduler"
import type { RequestGate } from "./RequestGate.ts"

const keyOf = ({ headers, socket }: IncomingMessage): string =>
  `${headers["x-api-key"] ?? headers.authorization ?? socket.remoteAddress}`

/** To be called before what holds pipelined requests back: a request begins when its answer is due. */
export const bound = (native: Server, gate: RequestGate, { connected, run }: FairScheduler): void => {
  native.on("connection", connected)
  gate.add(({ request, response }, pass) =>
    run(keyOf(request), () => {
      if (!response.destroyed && !request.destroyed) pass()
    })
  )
}
