/**
 * Sends one request and reads the response with Node's HTTP client. The client follows no redirects, decompresses
 * nothing and repeats no request. If a reused connection breaks during a request, the request fails, because the
 * receiver may have read the request. The caller of the exchange sets the deadline. The client reads at most 64 KiB of
 * a body, and a longer body is cut off. If a receiver sends more than 256 KiB in total, for example as interim
 * responses or chunk extensions, the attempt fails, even after a status line.
 */
import { Buffer } from "node:buffer"
import { constants } from "node:crypto"
import * as Http from "node:http"
import * as Https from "node:https"
import type { LookupFunction } from "node:net"
import type {
  NoWebhookResponse,
  WebhookRequest,
  WebhookResponse
} from "@partner-commentary/core/webhook/WebhookTransport"
import * as Effect from "effect/Effect"
import * as Failure from "./Failure.ts"
import type { ReceiverUrl } from "./ReceiverUrl.ts"

export interface HttpAgents {
  readonly http: Http.Agent
  readonly https: Https.Agent
}

/**
 * Makes agents that keep an idle connection open for one second, so that a stream of events shares connections.
 * Receivers rarely close an idle connection within a second, so a request rarely uses a connection that the receiver is
 * closing. The agents ignore proxy settings of the environment, and verify every certificate. Receivers cannot
 * renegotiate TLS. With renegotiation in TLS 1.2, a receiver could keep the process busy with handshakes until the
 * deadline, because the byte limits do not count handshakes.
 */
export const makeHttpAgents = (lookup: LookupFunction) =>
  Effect.acquireRelease(
    Effect.sync((): HttpAgents => {
      const options = { keepAlive: true, timeout: 1000, maxFreeSockets: 32, lookup }
      const secure = { rejectUnauthorized: true, secureOptions: constants.SSL_OP_NO_RENEGOTIATION }
      return { http: new Http.Agent(options), https: new Https.Agent({ ...options, ...secure }) }
    }),
    ({ http, https }) =>
      Effect.sync(() => {
        http.destroy()
        https.destroy()
      })
  )

/** The maximum number of bytes that the client reads of a body. */
const maxBodyBytes = 64 * 1024
/** The maximum number of bytes of a body that the result contains. */
const maxExcerptBytes = 1024

/** The maximum number of bytes that a receiver may send for one response. */
const maxResponseBytes = 256 * 1024

/**
 * Returns the beginning of a body as text. The function drops an incomplete last character. NUL characters are
 * replaced, because Postgres does not accept them.
 */
const excerptOf = (chunks: ReadonlyArray<Uint8Array>) =>
  new TextDecoder()
    .decode(Buffer.concat(chunks).subarray(0, maxExcerptBytes), { stream: true })
    .replaceAll("\0", "\ufffd")

export const sendRequest = (agents: HttpAgents, url: ReceiverUrl, { headers, body }: WebhookRequest) =>
  Effect.callback<WebhookResponse, NoWebhookResponse>((resume) => {
    const bytes = Buffer.from(body)
    const { request } = url.secure ? Https : Http
    const call = request({
      agent: url.secure ? agents.https : agents.http,
      method: "POST",
      hostname: url.host,
      port: url.port,
      path: url.target,
      headers: {
        accept: "*/*",
        "user-agent": "Partner-Commentary-Webhooks/1",
        ...headers,
        host: url.authority,
        "accept-encoding": "identity",
        "content-length": bytes.length
      }
    })
    const fail = (cause: unknown) => resume(Effect.fail(Failure.toRequestFailure(cause)))
    const stopAtFlood = makeByteLimit(() => {
      fail(Failure.makeResponseTooLongFailure(maxResponseBytes))
      call.destroy()
    })
    call.on("error", fail)
    call.on("socket", (socket) => {
      for (const event of watched) socket.prependListener(event, stopAtFlood)
      call.once("close", () => {
        for (const event of watched) socket.removeListener(event, stopAtFlood)
      })
    })
    call.on("response", (response) => {
      let read = 0
      let kept = 0
      const chunks: Array<Uint8Array> = []
      const done = () => resume(Effect.succeed(answer(response, excerptOf(chunks))))
      response.on("error", fail)
      response.on("end", done)
      response.on("data", (chunk: Uint8Array) => {
        read += chunk.length
        if (kept < maxExcerptBytes) {
          chunks.push(chunk)
          kept += chunk.length
        }
        if (read <= maxBodyBytes) return
        done()
        call.destroy()
      })
    })
    // A response that switches protocols counts as a response without a body.
    call.on("upgrade", (response, socket) => {
      socket.destroy()
      resume(Effect.succeed(answer(response, "")))
    })
    call.end(bytes)
    return Effect.sync(() => call.destroy())
  })

/**
 * The socket events whose bytes count toward `maxResponseBytes`. The client counts bytes at the socket, because Node's
 * HTTP parser does not report the size of interim responses and chunk extensions. TLS session tickets appear only as
 * `session` events.
 */
const watched: ReadonlyArray<"data" | "session"> = ["data", "session"]

/** Counts the bytes of one request and its response. A reused connection gets a new counter for each request. */
const makeByteLimit = (onExceeded: () => void) => {
  let carried = 0
  return (bytes: Uint8Array) => {
    carried += bytes.length
    if (carried > maxResponseBytes) onExceeded()
  }
}

const answer = (response: Http.IncomingMessage, excerpt: string): WebhookResponse => ({
  status: response.statusCode ?? 0,
  retryAfter: response.headers["retry-after"] ?? null,
  excerpt
})
