/**
 * Binds the port before the application is built, because the application's links contain the port. A request that
 * arrives before the application is ready waits until the application calls `open`.
 */
import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { TrustedProxies } from "@partner-commentary/server/ClientAddress"
import * as FairScheduler from "@partner-commentary/server/middleware/FairScheduler"
import { defaultKeepAlive } from "@partner-commentary/settings/Settings"
import { InvalidSetting } from "@partner-commentary/settings/Variable"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as BodyChunks from "./BodyChunks.ts"
import * as FairRequests from "./FairRequests.ts"
import * as MalformedRequests from "./MalformedRequests.ts"
import * as Pipelining from "./Pipelining.ts"
import * as RequestGateChain from "./RequestGateChain.ts"
import * as SlowReaders from "./SlowReaders.ts"

/** The time for which a stopping process waits for running requests. */
const grace = "10 seconds"

/**
 * The time for which a stopping process still answers requests on idle connections. A client that has just received a
 * response may already be sending its next request.
 */
const idleGrace = "100 millis"

/**
 * The time limits in milliseconds for receiving the headers and the whole request, and the interval of Node's check.
 */
const receiveTimeouts = { headersTimeout: 20_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 }

/**
 * The maximum number of connections that wait for acceptance, unless the operating system has a lower limit. If too
 * many connections wait, a client must retry its connection, and the retry takes at least a second.
 */
const backlog = 4096

/** The time in milliseconds after which a connection is closed if its client reads no byte of a response. */
const defaultStallTimeout = 60_000

/** The maximum number of characters of a body that is written together with other responses. */
const maxShortResponse = 16_384

/**
 * Responses whose head and text body Node writes as one string. Effect sets `strictContentLength` on each response, and
 * Node then writes the head and the body as two strings. The length of a body that is a single string is always right.
 *
 * The short responses of one turn of the event loop are written one after another, which takes less processor time than
 * a write after each request.
 *
 * A response for which `closes` returns true has `Connection: close`, and Node closes the connection after it.
 */
const makeTextResponse = (
  { runAtEndOfTurn }: FairScheduler.FairScheduler,
  closes: (response: ServerResponse) => boolean
) =>
  class TextResponse extends ServerResponse {
    // biome-ignore lint/suspicious/noExplicitAny: `writeHead` has several overloads
    override writeHead(...values: ReadonlyArray<any>): this {
      if (closes(this)) this.shouldKeepAlive = false
      return super.writeHead(...(values as [number]))
    }

    // biome-ignore lint/suspicious/noExplicitAny: `end` has several overloads
    override end(...values: ReadonlyArray<any>): this {
      const [body] = values
      const end = () => void super.end(...(values as [string]))
      if (typeof body === "string") this.strictContentLength = false
      if (typeof body === "string" && body.length <= maxShortResponse) runAtEndOfTurn(end)
      else end()
      return this
    }
  }

export interface ListenerOptions {
  /** The time for which an idle connection stays open. */
  readonly keepAlive?: Duration.Duration
  readonly stallTimeout?: number
  readonly slow?: SlowReaders.SlowReaderLimits
}

/**
 * Runs a function after all pending `nextTick` callbacks: Node runs a microtask when no `nextTick` callback is left.
 */
const afterTicks = (run: () => void): void => process.nextTick(queueMicrotask, run)

/**
 * Binds the port. Error messages contain `name`, the environment variable of the port. The environment variable of the
 * host has the same prefix as `name`.
 */
export const bindPort = Effect.fnUntraced(function* (
  host: string,
  port: number,
  name: string,
  {
    keepAlive = defaultKeepAlive,
    slow = SlowReaders.defaultSlowReaderLimits,
    stallTimeout = defaultStallTimeout
  }: ListenerOptions = {}
) {
  const proxies = yield* TrustedProxies
  const fair = FairScheduler.make({ now: () => performance.now(), next: setImmediate, soon: afterTicks })
  let isStopping = false
  const native: Server = createServer({
    ServerResponse: makeTextResponse(fair, (response) => isStopping && gate.isLast(response)),
    IncomingMessage: BodyChunks.makeRequestClass(
      ({ socket }) => void native.emit("clientError", MalformedRequests.tooManyChunks, socket)
    ),
    requireHostHeader: false,
    keepAliveTimeout: Duration.toMillis(keepAlive),
    ...receiveTimeouts
  })
  let extraHeaders: MalformedRequests.GetRateLimitHeaders = () => ({})
  const gate = RequestGateChain.make(native)
  MalformedRequests.handleMalformedRequests(native, gate, (address) => extraHeaders(address))
  FairRequests.installFairRequests(native, gate, fair, proxies)
  Pipelining.limitPipelining(gate, (address) => extraHeaders(address))
  // A connection without traffic stays open while the server prepares the response.
  native.setTimeout(stallTimeout, (socket) => {
    if (gate.due(socket) === undefined || socket.writableLength > 0) socket.destroy()
  })
  SlowReaders.limitSlowReaders(native, slow)
  const early: Array<[IncomingMessage, ServerResponse]> = []
  const hold = (request: IncomingMessage, response: ServerResponse) => void early.push([request, response])
  native.on("request", hold)
  const server = yield* Effect.mapError(
    NodeHttpServer.make(() => native, { host, port, backlog, gracefulShutdownTimeout: grace }),
    ({ cause }) => refusal(name, host, port, cause)
  )
  // Close the remaining connections after the grace period, because an open connection would block the shutdown.
  yield* Effect.addFinalizer(() => Effect.sync(() => native.closeAllConnections()))
  const address = native.address()
  return {
    native,
    server,
    fair,
    port: typeof address === "object" && address !== null ? address.port : port,
    /** Sets the function that makes rate-limit headers for responses to malformed requests. */
    setErrorHeaders: (headers: typeof extraHeaders) => {
      extraHeaders = headers
    },
    /**
     * Call `open` when the application is ready for requests. When the scope closes, each connection closes after its
     * current request, and idle connections close after a short time.
     */
    open: Effect.andThen(
      Effect.sync(() => {
        native.off("request", hold)
        // The service offers no protocol upgrade. Without an `upgrade` listener, Node handles upgrade requests like
        // normal requests.
        native.removeAllListeners("upgrade")
        for (const exchange of early) native.emit("request", ...exchange)
      }),
      Effect.addFinalizer(() =>
        Effect.gen(function* () {
          isStopping = true
          yield* Effect.sleep(idleGrace)
          // After a long turn of the event loop, timers run before the server reads the requests that have arrived.
          yield* Effect.yieldNow
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
    return new InvalidSetting({ name, reason: `must name a free port, and ${port} on ${host} is in use` })
  }
  if (code === "EACCES") {
    return new InvalidSetting({ name, reason: `must name a port that this user may listen on, but ${port} is not` })
  }
  return new InvalidSetting({
    name: name.replace(/PORT$/, "HOST"),
    reason: `must name an address of this machine, but ${host} is not`
  })
}
