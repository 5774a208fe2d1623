/**
 * The service as a listener for Node's HTTP server, and for every framework that hands over Node's own request and response:
 * Express, Fastify, Koa. It knows Node by the shape of those two alone. What a framework read of the body is gone: mount it
 * before whatever parses bodies.
 */
import { InternalError, statusOf } from "@partner-commentary/api/Errors"
import type { WhenResponseEnds } from "@partner-commentary/core/access/ConcurrencyLimit"
import * as Envelope from "../http/Envelope.ts"
import * as WebRequest from "../http/WebRequest.ts"
import * as Responses from "../middleware/Responses.ts"
import type { Embedded } from "./Embedded.ts"

/** Node's `IncomingMessage`, as far as it is asked. */
export interface NodeRequest {
  readonly method?: string | undefined
  /** Path and query as they were sent; a router that mounts takes its own prefix off. */
  readonly url?: string | undefined
  readonly headers: Readonly<Record<string, string | Array<string> | undefined>>
  readonly socket: {
    readonly remoteAddress?: string | undefined
    readonly on?: (event: "close", listener: () => void) => unknown
  }
  /** Whether somebody has read the body already. */
  readonly readableEnded: boolean
  // biome-ignore lint/suspicious/noExplicitAny: what an event brings is the event's
  readonly on: (event: string, listener: (value: any) => void) => unknown
  readonly pause: () => unknown
  readonly resume: () => unknown
}

/** Node's `ServerResponse`, as far as it is asked. */
export interface NodeResponse {
  readonly headersSent: boolean
  readonly writableFinished: boolean
  readonly writeHead: (status: number, headers: Record<string, string | Array<string>>) => unknown
  /** False where the client reads slower than it is written to. */
  readonly write: (chunk: Uint8Array) => boolean
  readonly end: (text?: string) => unknown
  readonly destroy: () => unknown
  readonly on: (event: "close" | "drain" | "finish", listener: () => void) => unknown
}

/** Answers it; resolves when that is done, and never rejects. */
export type NodeListener = (request: NodeRequest, response: NodeResponse) => Promise<void>

/**
 * `report` is told why a request was answered by 500 without the service: it could not begin, and the next one tries again; or
 * its body was gone.
 */
export const make =
  (service: Pick<Embedded<never>, "fetch">, report: (error: unknown) => void): NodeListener =>
  (request, response) => {
    if (request.readableEnded && hasBody(request)) {
      report(bodyGone)
      refuse(request, response)
      return Promise.resolve()
    }
    const whenTaken = taken(request, response)
    const { signal, asked } = toWeb(request, response, whenTaken)
    const sent = { address: request.socket.remoteAddress ?? "", target: request.url ?? "/", whenTaken }
    return service
      .fetch(asked, sent)
      .then((answer) => send(answer, request.method, response, signal))
      .catch((error) => {
        report(error)
        refuse(request, response)
      })
  }

const bodyGone = new Error(
  "A request's body was read before the service saw it: mount the service before what parses bodies, such as express.json()"
)

const hasBody = ({ headers }: NodeRequest): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** Before Node 24 a pipelined response whose turn has not come is told nothing of its connection's end: the socket is. */
const taken = ({ socket }: NodeRequest, response: NodeResponse): WhenResponseEnds => {
  const releases: Array<() => void> = []
  const waiting = waitingOn(socket)
  let isTaken = false
  const take = () => {
    isTaken = true
    waiting.delete(take)
    for (const release of releases.splice(0)) release()
  }
  response.on("finish", take)
  response.on("close", take)
  waiting.add(take)
  return (release) => {
    if (isTaken) release()
    else releases.push(release)
  }
}

const connections = new WeakMap<NodeRequest["socket"], Set<() => void>>()

/**
 * What is called when the connection closes. Each connection has one listener: Node warns of more than ten, and a client can send
 * more requests than that without waiting for answers.
 */
const waitingOn = (socket: NodeRequest["socket"]): Set<() => void> => {
  const known = connections.get(socket)
  if (known !== undefined) return known
  const waiting = new Set<() => void>()
  connections.set(socket, waiting)
  socket.on?.("close", () => {
    for (const take of waiting) take()
  })
  return waiting
}

const toWeb = (request: NodeRequest, response: NodeResponse, whenTaken: WhenResponseEnds) => {
  const { headers, method = "GET", url = "/" } = request
  const gone = new AbortController()
  whenTaken(() => {
    if (!response.writableFinished) gone.abort()
  })
  const address = `http://${one(headers["host"]) ?? "localhost"}${url}`
  const init = {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith(":") ? [] : [value].flat().flatMap((text) => (text === undefined ? [] : [[name, text] as const]))
    ) as Array<[string, string]>,
    signal: gone.signal,
    ...(/^(get|head)$/i.test(method) ? {} : { body: bodyOf(request, response), duplex: "half" })
  }
  return { signal: gone.signal, asked: WebRequest.make(URL.canParse(address) ? address : "http://localhost/", init) }
}

const one = (value: string | Array<string> | undefined) => [value].flat()[0]

/**
 * Read as fast as it is asked for. Once it was answered, or nobody asks any more, the rest goes by, so that the answer can be
 * read and the connection is free for another request.
 */
const bodyOf = (request: NodeRequest, response: NodeResponse): ReadableStream<Uint8Array> => {
  let over = false
  const pass = () => {
    over = true
    request.resume()
  }
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      const last = (end: () => void) => {
        if (over) return
        pass()
        end()
      }
      if (request.readableEnded) return last(() => controller.close())
      request.on("data", (chunk: Uint8Array) => {
        if (over) return
        controller.enqueue(chunk)
        if ((controller.desiredSize ?? 0) <= 0) request.pause()
      })
      request.on("end", () => last(() => controller.close()))
      request.on("error", (error: unknown) => last(() => controller.error(error)))
      response.on("close", () => last(() => controller.error(closed)))
      request.pause()
    },
    pull: () => void request.resume(),
    cancel: pass
  })
}

const closed = "The connection was closed, or the request answered"

/** HEAD's answer has the headers of GET's, and nothing after them. */
const send = (answer: Response, method: string | undefined, response: NodeResponse, signal: AbortSignal) => {
  const cookies = answer.headers.getSetCookie()
  response.writeHead(answer.status, {
    ...Object.fromEntries(answer.headers),
    ...(cookies.length === 0 ? {} : { "set-cookie": cookies })
  })
  if (answer.body === null || method === "HEAD") {
    response.end()
    return Promise.resolve()
  }
  return answer.body.pipeTo(into(response), { signal }).catch(() => void response.destroy())
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
  const id = Responses.requestId(one(headers["x-request-id"]))
  const body = InternalError.of(id)
  response.writeHead(statusOf[body.error.code], {
    "content-type": Envelope.contentType,
    "x-request-id": id,
    "cache-control": Responses.cacheControl
  })
  response.end(Envelope.failureText(body))
}
