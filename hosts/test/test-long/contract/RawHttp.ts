/** Sends requests over sockets without the normalization of `fetch`, and formats requests as curl commands. */
import * as Http from "node:http"
import type { GeneratedRequest, ParameterText } from "./Requests.ts"

export interface RawResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface RawRequest {
  readonly method: string
  readonly target: string
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly body: Uint8Array | undefined
  readonly chunked: boolean
  readonly address: string | undefined
}

/** Returns the request line, headers and body of a generated request. */
export const toRawRequest = (sent: GeneratedRequest): RawRequest => {
  const { operation, payload, type } = sent
  const at = (place: string) => sent.arguments.filter(({ parameter }) => parameter.in === place)
  const path = at("path").reduce(
    (path, one) => path.replace(`{${one.parameter.name}}`, () => (one.odd ? one.text : encodeURIComponent(one.text))),
    operation.path
  )
  const query = [...at("query").map(inQuery), ...sent.query].join("&")
  const body =
    payload === undefined
      ? undefined
      : "bytes" in payload
        ? payload.bytes
        : new TextEncoder().encode(JSON.stringify(payload.value))
  return {
    method: operation.method,
    target: query === "" ? path : `${path}?${query}`,
    headers: [
      ...at("header").map(({ parameter, text }) => [parameter.name, text] as const),
      ...sent.caller.headers,
      ...(body === undefined || type.type === undefined ? [] : [["Content-Type", type.type] as const]),
      ...sent.headers
    ],
    body,
    chunked: sent.chunked,
    // Each request of an anonymous caller comes from its own address, because anonymous calls are limited by address.
    address: sent.caller.expectedAccess === "none" ? `127.1.${sent.origin >> 8}.${sent.origin & 255 || 1}` : undefined
  }
}

const inQuery = ({ parameter, text }: ParameterText) => `${parameter.name}=${encodeURIComponent(text)}`

export interface RawHttpClient {
  readonly send: (request: RawRequest) => Promise<RawResponse>
  readonly close: () => void
  readonly curl: (request: RawRequest) => string
}

export const makeRawHttpClient = (root: string): RawHttpClient => {
  const { hostname, port } = new URL(root)
  const kept = new Http.Agent({ keepAlive: true, maxSockets: 4 })

  const send = (plain: RawRequest, again = true): Promise<RawResponse> =>
    new Promise<RawResponse>((resolve, reject) => {
      const { address, body, chunked, headers, method, target } = plain
      const request = Http.request({
        hostname,
        port,
        method,
        path: target,
        headers: grouped(headers),
        ...(address === undefined ? { agent: kept } : { agent: false as const, localAddress: address })
      })
      // Retry once if the server closed the kept-alive connection just before the reuse.
      request.on("error", (error) => (request.reusedSocket && again ? resolve(send(plain, false)) : reject(error)))
      request.on("response", (response) => {
        const chunks: Array<Buffer> = []
        const whole = () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: new Headers(
              Object.entries(response.headersDistinct).flatMap(([name, all = []]) =>
                all.map((one): [string, string] => [name, one])
              )
            ),
            text: Buffer.concat(chunks).toString("utf8")
          })
        response.on("error", reject)
        response.on("end", whole)
        response.on("data", (chunk: Buffer) => {
          chunks.push(chunk)
          // An event stream does not end by itself, so the fuzzer closes the stream after its first events.
          if (!isStream(response) || !chunk.toString("latin1").endsWith("\n\n")) return
          whole()
          response.destroy()
        })
      })
      if (body === undefined) request.end()
      else if (chunked) {
        request.setHeader("Transfer-Encoding", "chunked")
        request.write(body.subarray(0, body.length >> 1))
        request.end(body.subarray(body.length >> 1))
      } else {
        request.setHeader("Content-Length", body.length)
        request.end(body)
      }
    })

  return {
    send,
    close: () => kept.destroy(),
    curl: ({ body, chunked, headers, method, target }) =>
      [
        `curl -i --path-as-is -X ${method} ${quoted(`${root}${target}`)}`,
        ...headers.map(([name, value]) => `-H ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`),
        ...(chunked ? ["-H 'Transfer-Encoding: chunked'"] : []),
        ...(body === undefined ? [] : [`--data-binary ${quoted(Buffer.from(body).toString("utf8"))}`])
      ].join(" ")
  }
}

const isStream = ({ headers }: Http.IncomingMessage): boolean => headers["content-type"] === "text/event-stream"

const grouped = (headers: ReadonlyArray<readonly [string, string]>): Record<string, Array<string>> => {
  const all: Record<string, Array<string>> = {}
  for (const [name, value] of headers) all[name] = [...(all[name] ?? []), value]
  return all
}

const quoted = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text)
    ? `'${text.replaceAll("'", `'\\''`)}'`
    : `$'${[...text].map((one) => (/[\x20-\x7e]/.test(one) ? one.replace(/['\\]/, "\\$&") : escapedBytes(one))).join("")}'`

const escapedBytes = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")
