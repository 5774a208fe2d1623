/** A port that is bound before anything is served on it, so that the address is known; requests that come early wait. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { TrustedProxies } from "@partner-commentary/server/ClientAddress"
import * as FairScheduler from "@partner-commentary/server/middleware/FairScheduler"
import { usualKeepAlive } from "@partner-commentary/settings/Settings"
import { SettingRefused } from "@partner-commentary/settings/Variable"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FairRequests from "./FairRequests.ts"
import * as Pipelining from "./Pipelining.ts"
import * as RequestGate from "./RequestGate.ts"
import * as SlowReaders from "./SlowReaders.ts"
import * as Unreadable from "./Unreadable.ts"

/** So long may running requests take to finish when the process stops. */
const grace = "10 seconds"

/** Milliseconds that a request's headers, and all of it, may take to arrive, and how often that is looked after. */
const patience = { headersTimeout: 20_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 }

/** Milliseconds after which an answer of which nobody takes a byte is given up. `SlowReaders` bounds the others. */
const stalled = 60_000

/**
 * Node tells of a connection that nothing moved on, and ends it unless somebody listens: as it should where nothing is under way. An
 * answer that is still being made is waited for; one that waits to be taken is not.
 */
const giveUpStalled = (_: IncomingMessage, response: ServerResponse) =>
  void response.on("timeout", (socket: Socket) => {
    if (socket.writableLength > 0) socket.destroy()
  })

export interface Options {
  /** How long an idle connection stays open. */
  readonly keepAlive?: Duration.Duration
  readonly untaken?: number
  readonly slow?: SlowReaders.SlowReaderBounds
}

/** `name` is the variable that chose the port; the one that chose the host is named alike. */
export const bind = Effect.fnUntraced(function* (
  host: string,
  port: number,
  name: string,
  { keepAlive = usualKeepAlive, slow = SlowReaders.usual, untaken = stalled }: Options = {}
) {
  const proxies = yield* TrustedProxies
  const fair = FairScheduler.make({ now: () => performance.now(), next: setImmediate })
  const native = createServer({
    requireHostHeader: false,
    keepAliveTimeout: Duration.toMillis(keepAlive),
    ...patience
  })
  let further: Unreadable.HeadersFor = () => ({})
  const gate = RequestGate.make(native)
  Unreadable.answer(native, gate, (address) => further(address))
  FairRequests.bound(native, gate, fair, proxies)
  Pipelining.bound(gate, (address) => further(address))
  native.setTimeout(untaken)
  SlowReaders.bound(native, slow)
  native.on("request", giveUpStalled)
  const early: Array<[IncomingMessage, ServerResponse]> = []
  const hold = (request: IncomingMessage, response: ServerResponse) => void early.push([request, response])
  native.on("request", hold)
  const server = yield* Effect.mapError(
    NodeHttpServer.make(() => native, { host, port, gracefulShutdownTimeout: grace }),
    ({ cause }) => refusal(name, host, port, cause)
  )
  // Before the server waits for its connections to end: after the grace, they have no say.
  yield* Effect.addFinalizer(() => Effect.sync(() => native.closeAllConnections()))
  const address = native.address()
  return {
    native,
    server,
    fair,
    port: typeof address === "object" && address !== null ? address.port : port,
    /** Who sends what cannot be read is told these headers too. */
    tellUnreadable: (headers: typeof further) => {
      further = headers
    },
    /** Called once something answers. When the scope closes, connections end with the request that they are at. */
    open: Effect.andThen(
      Effect.sync(() => {
        native.off("request", hold)
        // Nothing is offered to upgrade to: without a listener, Node serves such requests as any other.
        native.removeAllListeners("upgrade")
        for (const exchange of early) native.emit("request", ...exchange)
      }),
      Effect.addFinalizer(() =>
        Effect.sync(() => {
          const closing = setInterval(() => native.closeIdleConnections(), 20).unref()
          native.once("close", () => clearInterval(closing))
        })
      )
    )
  }
})

const refusal = (name: string, host: string, port: number, cause: unknown) => {
  const code = (cause as NodeJS.ErrnoException).code
  if (code === "EADDRINUSE") {
    return new SettingRefused({ name, reason: `must name a free port, and ${port} on ${host} is in use` })
  }
  if (code === "EACCES") {
    return new SettingRefused({ name, reason: `must name a port that this user may listen on, and ${port} is none` })
  }
  return new SettingRefused({
    name: name.replace(/PORT$/, "HOST"),
    reason: `must name an address of this machine, and ${host} is none`
  })
}
