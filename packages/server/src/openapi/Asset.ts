/**
 * Serves a static text that is stored compressed, with its hash as ETag. A client that already has the text gets a 304
 * response. For clients without compression, concurrent responses share one decompressed copy of the text.
 */
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Semaphore from "effect/Semaphore"

export interface StaticAsset {
  readonly gzip: Uint8Array<ArrayBuffer>
  /** The uncompressed bytes, which concurrent responses share. */
  readonly unpacked: Effect.Effect<Uint8Array<ArrayBuffer>>
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

type Headers = StaticAsset["headers"]

export const makeStaticAssetFromGzip = (
  gzip: StaticAsset["gzip"],
  headers: Headers
): Effect.Effect<StaticAsset, never, Digest.Digest> =>
  Effect.gen(function* () {
    const digest = yield* Digest.Digest
    const hash = Base64Url.encode(yield* digest.digest(Digest.sha256, gzip))
    return { gzip, unpacked: yield* cacheWhileReferenced(unpack(gzip)), etag: `"${hash.slice(0, 22)}"`, headers }
  })

/**
 * Computes the value once for concurrent callers, even if the first caller is interrupted. The computed value stays
 * cached while a caller still references the value.
 */
const cacheWhileReferenced = <A extends WeakKey>(made: Effect.Effect<A>): Effect.Effect<Effect.Effect<A>> =>
  Effect.map(Semaphore.make(1), (semaphore) => {
    let last: WeakRef<A> | undefined
    const again = Effect.tap(made, (value) =>
      Effect.sync(() => {
        last = new WeakRef(value)
      })
    )
    return semaphore.withPermit(
      Effect.suspend(() => {
        const value = last?.deref()
        return value === undefined ? Effect.uninterruptible(again) : Effect.succeed(value)
      })
    )
  })

/**
 * Computes the value once, even if the first caller is interrupted. `Effect.cached` would start the computation again
 * after an interruption.
 */
export const computeOnce = <A>(made: Effect.Effect<A>): Effect.Effect<Effect.Effect<A>> =>
  Effect.map(Semaphore.make(1), (semaphore) => {
    let present: { readonly value: A } | undefined
    const first = Effect.map(made, (value) => {
      present = { value }
      return value
    })
    const found = Effect.suspend(() =>
      present === undefined ? Effect.uninterruptible(first) : Effect.succeed(present.value)
    )
    return Effect.suspend(() => (present === undefined ? semaphore.withPermit(found) : Effect.succeed(present.value)))
  })

export const makeStaticAsset = (text: string, headers: Headers): Effect.Effect<StaticAsset, never, Digest.Digest> =>
  Effect.flatMap(gzipText(text), (gzip) => makeStaticAssetFromGzip(gzip, headers))

export const gzipText = (text: string): Effect.Effect<StaticAsset["gzip"]> =>
  Effect.suspend(() => through(new TextEncoder().encode(text), new CompressionStream("gzip")))

const unpack = (gzip: StaticAsset["gzip"]) => Effect.suspend(() => through(gzip, new DecompressionStream("gzip")))

export const respondWithAsset = (
  { etag, gzip, headers, unpacked }: StaticAsset,
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const all = { ...headers, etag, vary: "accept-encoding", "x-content-type-options": "nosniff" }
  if (has(request.headers["if-none-match"], etag)) {
    const { "content-type": _, ...rest } = all as Record<string, string>
    return Effect.succeed(HttpServerResponse.empty({ status: 304, headers: rest }))
  }
  const contentType = headers["content-type"] ?? "text/plain"
  return accepts(request.headers["accept-encoding"])
    ? Effect.succeed(
        HttpServerResponse.uint8Array(gzip, { contentType, headers: { ...all, "content-encoding": "gzip" } })
      )
    : Effect.map(unpacked, (bytes) => HttpServerResponse.uint8Array(bytes, { contentType, headers: all }))
}

/** Returns whether the header `If-None-Match` contains the ETag. The comparison is weak, as HTTP requires for GET. */
const has = (sent = "", etag: string): boolean =>
  sent.split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === etag)

const accepts = (sent = ""): boolean =>
  sent.split(",").some((one) => /^\s*(gzip|\*)\s*(;\s*q=(?!0(\.0*)?\s*$)[\d.]+\s*)?$/i.test(one))

const through = (
  bytes: Uint8Array<ArrayBuffer>,
  by: ReadableWritablePair<Uint8Array<ArrayBuffer>, BufferSource>
): Effect.Effect<Uint8Array<ArrayBuffer>> =>
  Effect.map(
    Effect.promise(() => new Response(new Blob([bytes]).stream().pipeThrough(by)).arrayBuffer()),
    (buffer) => new Uint8Array(buffer)
  )
