/**
 * Turns the service into a listener for Node's HTTP server and for Express, Fastify and Koa. The listener uses
 * structural types instead of Node's types. An application may mount the listener before or after a body parser.
 */
import { InternalError } from "@partner-commentary/api/Errors"
import type { OnResponseEnd } from "@partner-commentary/core/access/ConcurrencyLimit"
import * as EffectHeaders from "effect/http/Headers"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import { makeChunkCounter } from "../http/BodyChunks.ts"
import * as Responses from "../middleware/Responses.ts"
import type { EmbeddedService } from "./Embedded.ts"
import * as ParsedBody from "./ParsedBody.ts"
import * as ResponseBatch from "./ResponseBatch.ts"
import type { HostResponse } from "./WebHandler.ts"

/** The properties of Node's `IncomingMessage` that the listener uses. */
export interface NodeRequest {
  readonly method?: string | undefined
  /** The path and the query of the request. A router that mounts the listener removes its own prefix from the path. */
  readonly url?: string | undefined
  readonly headers: Readonly<Record<string, string | Array<string> | undefined>>
  readonly socket: {
    readonly remoteAddress?: string | undefined
    readonly on?: (event: "close", listener: () => void) => unknown
  }
  /** True when other code has already read the whole request body. */
  readonly readableEnded: boolean
  /** The result of a body parser, such as `express.json()`. */
  readonly body?: unknown
  /**
   * The unparsed bytes of the request body. Some body parsers keep the unparsed bytes in addition to the parsed body.
   */
  readonly rawBody?: unknown
  // biome-ignore lint/suspicious/noExplicitAny: each event has its own arguments
  readonly on: (event: string, listener: (value: any) => void) => unknown
  readonly pause: () => unknown
  readonly resume: () => unknown
}

/** The properties of Node's `ServerResponse` that the listener uses. */
export interface NodeResponse {
  readonly headersSent: boolean
  /** True if the whole response was sent, or if its connection was closed. */
  readonly closed?: boolean
  readonly writableEnded?: boolean
  readonly writableFinished: boolean
  readonly writeHead: (status: number, headers: Readonly<Record<string, string | Array<string>>>) => unknown
  /** Returns false when the client reads more slowly than the listener writes. */
  readonly write: (chunk: Uint8Array) => boolean
  readonly end: { (): unknown; (body: string | Uint8Array): unknown }
  readonly destroy: () => unknown
  readonly on: (event: "close" | "drain" | "finish", listener: () => void) => unknown
  /** The stream of a response of HTTP/2. */
  readonly stream?: { readonly on: (event: "finish", listener: () => void) => unknown }
}

/** The promise resolves when the whole response was passed to the server, and never rejects. */
export type NodeListener = (request: NodeRequest, response: NodeResponse) => Promise<void>

/** The maximum number of characters of a body that is written together with other responses. */
const maxShortBody = 16_384

/**
 * `report` receives each error for which the listener itself sends a 500 response. The listener itself sends a 500
 * response when the service cannot start, or when a middleware has consumed the request body without storing the body.
 *
 * The listener writes short responses with `runAtEndOfTurn`, and by default without a wait.
 */
export const make = (
  service: Pick<EmbeddedService<never>, "handle">,
  report: (error: unknown) => void,
  runAtEndOfTurn: ResponseBatch.RunAtEndOfTurn = (run) => run()
): NodeListener => {
  const endOfTurn = ResponseBatch.make(runAtEndOfTurn)
  return (request, response) => {
    const parsed = request.readableEnded && hasBody(request) ? ParsedBody.restoreBytes(request) : null
    if (parsed === undefined) {
      report(bodyGone)
      refuse(request, response)
      return Promise.resolve()
    }
    const whenResponseEnds = responseEnd(request, response)
    const headers = toHeaders(request.headers)
    const source = toSource(request, response, { headers, parsed, whenResponseEnds })
    const asked = HttpServerRequest.fromWeb(source as Request).modify({ headers })
    const sent = {
      address: request.socket.remoteAddress ?? "",
      target: request.url ?? "/",
      whenResponseEnds,
      closeConnection: () => void response.destroy()
    }
    return service
      .handle(asked, sent)
      .then((answer) => {
        const isShort = typeof answer.body === "string" && answer.body.length <= maxShortBody
        return isShort ? endOfTurn().then(() => send(answer, source, response)) : send(answer, source, response)
      })
      .catch((error) => {
        report(error)
        refuse(request, response)
      })
  }
}

const bodyGone = new Error(
  "A request's body was read before the service saw it, and request.body does not have it: mount the service before the middleware that reads bodies"
)

const hasBody = ({ headers }: NodeRequest): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/**
 * Calls the callbacks when the response ends. The function also listens to the socket's close event, because Node
 * before version 24 emits no close event for a pipelined response that waits for its turn.
 */
const responseEnd = ({ socket }: NodeRequest, response: NodeResponse): OnResponseEnd => {
  const releases: Array<() => void> = []
  const waiting = closeCallbacks(socket)
  let isTaken = false
  const take = () => {
    isTaken = true
    waiting.delete(take)
    for (const release of releases.splice(0)) release()
  }
  response.on("finish", take)
  response.on("close", take)
  waiting.add(take)
  // A closed response emits no more events.
  if (response.closed === true) take()
  return (release) => {
    if (isTaken) release()
    else releases.push(release)
  }
}

const connections = new WeakMap<NodeRequest["socket"], Set<() => void>>()

/**
 * Returns the callbacks to call when a connection closes. All requests of a socket share one close listener, because
 * Node warns above ten listeners. A client can pipeline more than ten requests.
 */
const closeCallbacks = (socket: NodeRequest["socket"]): Set<() => void> => {
  const known = connections.get(socket)
  if (known !== undefined) return known
  const waiting = new Set<() => void>()
  connections.set(socket, waiting)
  socket.on?.("close", () => {
    for (const take of waiting) take()
  })
  return waiting
}

type Source = Pick<Request, "body" | "headers" | "method" | "signal" | "url">

/**
 * Makes the part of a web Request that Effect reads. The constructor of a whole Request takes longer than the service
 * takes to handle most requests.
 *
 * `parsed` contains the request body if other code has already read the body. The parameter `parsed` is null if the
 * service must read the body itself.
 */
const toSource = (
  request: NodeRequest,
  response: NodeResponse,
  {
    headers,
    parsed,
    whenResponseEnds
  }: {
    readonly headers: EffectHeaders.Headers
    readonly parsed: Uint8Array<ArrayBuffer> | null
    readonly whenResponseEnds: OnResponseEnd
  }
): Source => {
  const { method = "GET", url = "/" } = request
  const address = `http://${headers["host"] ?? "localhost"}${url}`
  // Listen to the body now, because other code may also listen to it, and each part of the body is emitted only once.
  const sentBody = () => (parsed === null ? bodyOf(request, response) : new Response(parsed).body)
  const body = /^(get|head)$/i.test(method) ? null : sentBody()
  let signal: AbortSignal | undefined
  return {
    method,
    url: URL.canParse(address) ? address : "http://localhost/",
    body,
    get headers() {
      const copied = new Headers(headers)
      // The restored bytes of a parsed body may differ from the bytes that the client sent.
      if (parsed !== null) copied.delete("content-length")
      return copied
    },
    get signal() {
      if (signal === undefined) {
        const gone = new AbortController()
        signal = gone.signal
        whenResponseEnds(() => {
          // A response of HTTP/2 is also finished when its session was closed.
          if (!response.writableFinished || response.writableEnded === false) gone.abort()
        })
      }
      return signal
    }
  }
}

/**
 * Copies the headers without the pseudo-headers of HTTP/2, whose names start with `:`. Node's own headers have names in
 * lower case and trimmed values, but an application can set others.
 */
const toHeaders = (headers: NodeRequest["headers"]): EffectHeaders.Headers => {
  const copied: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || name.startsWith(":")) continue
    copied[name.toLowerCase()] = (typeof value === "string" ? value : value.join(", ")).trim()
  }
  return EffectHeaders.fromRecordUnsafe(copied)
}

const one = (value: string | Array<string> | undefined) => [value].flat()[0]

/**
 * Streams the request body with backpressure. After the response, the listener discards the rest of the request body,
 * so that the client can read the response and reuse the connection.
 */
const bodyOf = (request: NodeRequest, response: NodeResponse): ReadableStream<Uint8Array<ArrayBuffer>> => {
  const accepts = makeChunkCounter()
  let over = false
  const pass = () => {
    over = true
    request.resume()
  }
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => {
      const last = (end: () => void) => {
        if (over) return
        pass()
        end()
      }
      if (request.readableEnded) return last(() => controller.close())
      request.on("data", (chunk: Uint8Array<ArrayBuffer>) => {
        if (over) return
        if (!accepts(chunk.length)) return last(() => controller.error(tooManyChunks))
        controller.enqueue(chunk)
        if ((controller.desiredSize ?? 0) <= 0) request.pause()
      })
      request.on("end", () => last(() => controller.close()))
      request.on("error", (error: unknown) => last(() => controller.error(error)))
      const ended = () => last(() => controller.error(closed))
      response.on("close", ended)
      // A response of HTTP/2 closes only after its request has been read.
      response.stream?.on("finish", ended)
      request.pause()
    },
    pull: () => void request.resume(),
    cancel: pass
  })
}

const closed = "The connection was closed, or the request answered"

const tooManyChunks = "The body has too many chunks"

/** The response to a HEAD request has the headers of the GET response and no body. */
const send = (
  { body, closesConnection = false, headers, status }: HostResponse,
  source: Source,
  response: NodeResponse
): Promise<void> => {
  // HTTP/2 does not allow the header `connection`.
  const isLast = closesConnection && response.stream === undefined
  response.writeHead(status, isLast ? { ...headers, connection: "close" } : headers)
  if (body === null || source.method === "HEAD") response.end()
  else if (body instanceof ReadableStream) {
    return body.pipeTo(into(response), { signal: source.signal }).catch(() => void response.destroy())
  } else response.end(body)
  return Promise.resolve()
}

const into = (response: NodeResponse) => {
  let goOn = () => {}
  const further = () => goOn()
  response.on("drain", further)
  response.on("close", further)
  return new WritableStream<Uint8Array>({
    write: (chunk) => {
      if (response.write(chunk)) return undefined
      return new Promise((resolve) => {
        goOn = resolve
      })
    },
    close: () => void response.end()
  })
}

const refuse = ({ headers }: NodeRequest, response: NodeResponse): void => {
  if (response.headersSent) return void response.destroy()
  const id = Responses.acceptOrCreateRequestId(one(headers["x-request-id"]))
  const { body, headers: sent, status } = Responses.makeErrorResponse(InternalError.of(id), id)
  response.writeHead(status, sent)
  response.end(body)
}
