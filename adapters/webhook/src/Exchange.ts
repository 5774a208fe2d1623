/**
 * Makes one request and reads its response with Node's HTTP client. It follows no redirect, decompresses nothing and
 * sends nothing twice. When a reused connection breaks during a request, the request fails, because the receiver may
 * have read it. The caller sets the deadline. Two limits bound the number of bytes that are read. A body is cut off
 * after 64 KiB, and the status is still valid. If a receiver sends more than 256 KiB in other ways (interim responses,
 * chunk extensions, tiny chunks), the attempt fails, even after a status line.
 */
import { Buffer } from "node:buffer"
import { constants } from "node:crypto"
import * as Http from "node:http"
import * as Https from "node:https"
import type { LookupFunction } from "node:net"
import type { WebhookAnswer, WebhookNotSent, WebhookRequest } from "@partner-commentary/core/webhook/WebhookTransport"
import * as Effect from "effect/Effect"
import * as Failure from "./Failure.ts"
import type { ReceiverUrl } from "./ReceiverUrl.ts"

export interface HttpAgents {
  readonly http: Http.Agent
  readonly https: Https.Agent
}

/**
 * Connections are kept alive for one second, so that a stream of events shares a few of them. Receivers rarely close a
 * connection so soon, so requests rarely use a connection that is being closed. Proxies of the environment are ignored,
 * and every certificate is verified, whatever the environment says. Receivers cannot renegotiate TLS. Otherwise a TLS
 * 1.2 receiver could keep the process busy until the deadline, because a handshake costs CPU time but transfers no
 * counted bytes.
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

/** The maximum number of bytes of a body that are read, and the number that are kept. */
const readAtMost = 64 * 1024
const keptAtMost = 1024

/** The number of bytes that a receiver may send for one response in all. */
const carriedAtMost = 256 * 1024

/**
 * An incomplete character at the end of the text is dropped. NUL characters are replaced, because Postgres does not
 * accept them.
 */
const excerptOf = (chunks: ReadonlyArray<Uint8Array>) =>
  new TextDecoder().decode(Buffer.concat(chunks).subarray(0, keptAtMost), { stream: true }).replaceAll("\0", "\ufffd")

export const exchangeOnce = (agents: HttpAgents, url: ReceiverUrl, { headers, body }: WebhookRequest) =>
  Effect.callback<WebhookAnswer, WebhookNotSent>((resume) => {
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
    const fail = (cause: unknown) => resume(Effect.fail(Failure.failureOfError(cause)))
    const stopAtFlood = limited(() => {
      fail(Failure.answerTooLong(carriedAtMost))
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
        if (kept < keptAtMost) {
          chunks.push(chunk)
          kept += chunk.length
        }
        if (read <= readAtMost) return
        done()
        call.destroy()
      })
    })
    // The receiver switches protocols, which counts as a response without a body.
    call.on("upgrade", (response, socket) => {
      socket.destroy()
      resume(Effect.succeed(answer(response, "")))
    })
    call.end(bytes)
    return Effect.sync(() => call.destroy())
  })

/**
 * Node's parser reports neither interim responses nor chunk extensions, so the socket's bytes are counted. Node emits
 * TLS session tickets as `session` events and never as `data`.
 */
const watched: ReadonlyArray<"data" | "session"> = ["data", "session"]

/** Counts the bytes of one request and response. A kept connection gets a new counter for each request. */
const limited = (onExceeded: () => void) => {
  let carried = 0
  return (bytes: Uint8Array) => {
    carried += bytes.length
    if (carried > carriedAtMost) onExceeded()
  }
}

const answer = (response: Http.IncomingMessage, excerpt: string): WebhookAnswer => ({
  status: response.statusCode ?? 0,
  retryAfter: response.headers["retry-after"] ?? null,
  excerpt
})
