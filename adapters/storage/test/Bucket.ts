/**
 * Starts a fake S3 bucket on loopback that allows reading and refuses listing. A PUT request must have the signature
 * that the AWS signer creates for it, and the correct hash of its body.
 */
import { createHash, createHmac } from "node:crypto"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { SignatureV4 } from "@smithy/signature-v4"
import * as Effect from "effect/Effect"

export const bucketCredentials = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
}
export const bucketRegion = "eu-north-1"

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: Http.IncomingHttpHeaders
  readonly body: Buffer
}

/** Sends a response instead of the bucket's own response. */
export type ScriptedResponse = (response: Http.ServerResponse, seen: SeenRequest) => void

/** The counter `closed` counts the calls whose connection closed before the response was complete. */
export interface FakeBucket {
  readonly url: string
  readonly seen: Array<SeenRequest>
  readonly closed: () => number
}

/** Provides SHA-256 and HMAC-SHA-256 in the form that the AWS signer requires. */
class Sha256 {
  readonly #hash: { update(data: Uint8Array): unknown; digest(): Buffer }

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash =
      secret === undefined ? createHash("sha256") : createHmac("sha256", secret as string | NodeJS.ArrayBufferView)
  }

  update(data: string | Uint8Array): void {
    this.#hash.update(typeof data === "string" ? Buffer.from(data) : data)
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest()
  }
}

const signer = new SignatureV4({
  credentials: bucketCredentials,
  region: bucketRegion,
  service: "s3",
  sha256: Sha256 as never,
  uriEscapePath: false
})

/** Returns the error of a request, or null if the bucket accepts the request. */
const refusalOf = async ({ body, headers, method, path }: SeenRequest): Promise<string | null> => {
  const { authorization = "" } = headers
  const signed: ReadonlyArray<string> = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(";") ?? []
  for (const needed of ["host", "x-amz-date", "x-amz-content-sha256"])
    if (!signed.includes(needed)) return "AccessDenied"
  if (headers["x-amz-content-sha256"] !== createHash("sha256").update(body).digest("hex"))
    return "XAmzContentSHA256Mismatch"
  const [date = ""] = /\d{8}T\d{6}Z/.exec(String(headers["x-amz-date"])) ?? []
  const moment = date.replace(/(....)(..)(..T..)(..)(..Z)/, "$1-$2-$3:$4:$5")
  const { headers: again } = await signer.sign(
    {
      method,
      path,
      protocol: "http:",
      hostname: "127.0.0.1",
      query: {},
      headers: Object.fromEntries(signed.map((name) => [name, String(headers[name])])),
      body
    } as never,
    { signingDate: new Date(moment), signableHeaders: new Set(signed), unsignableHeaders: new Set<string>() }
  )
  return again["authorization"] === authorization ? null : "SignatureDoesNotMatch"
}

const xml = (response: Http.ServerResponse, status: number, code: string, words = "") => {
  response.writeHead(status, { "content-type": "application/xml" })
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${words}</Message></Error>`)
}

export const makeErrorResponse =
  (status: number, code: string, words = ""): ScriptedResponse =>
  (response) =>
    xml(response, status, code, words)

/** The bucket uses path-style addresses, so the bucket stores objects below `/media`. */
export const startFakeBucket = (instead?: ScriptedResponse) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<FakeBucket & { readonly server: Http.Server }>((resume) => {
        const seen: Array<SeenRequest> = []
        const kept = new Map<string, { readonly type: string; readonly body: Buffer }>()
        let closed = 0
        const answer = async (call: SeenRequest, response: Http.ServerResponse) => {
          if (call.method === "PUT") {
            seen.push(call)
            if (instead !== undefined) return instead(response, call)
            const refused = await refusalOf(call)
            if (refused !== null) return xml(response, 403, refused)
            if (!/^\/media\/[^/]+$/.test(call.path)) return xml(response, 404, "NoSuchBucket")
            kept.set(call.path, { type: String(call.headers["content-type"]), body: call.body })
            return void response.writeHead(200, { etag: '"1"' }).end()
          }
          const found = call.method === "GET" ? kept.get(call.path) : undefined
          if (found === undefined) return xml(response, 404, "NoSuchKey")
          response.writeHead(200, { "content-type": found.type, "content-length": found.body.length }).end(found.body)
        }
        const server = Http.createServer((request, response) => {
          const chunks: Array<Buffer> = []
          response.on("close", () => {
            if (!response.writableFinished) closed += 1
          })
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            const { headers, method = "", url: path = "" } = request
            void answer({ method, path, headers, body: Buffer.concat(chunks) }, response)
          })
        })
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo
          resume(Effect.succeed({ server, seen, closed: () => closed, url: `http://127.0.0.1:${port}/media` }))
        })
      }),
      ({ server }) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    ),
    (made): FakeBucket => made
  )
