import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { MediaStorage } from "@partner-commentary/core/commentary/MediaStorage"
import type { MediaFile } from "@partner-commentary/core/commentary/MediaSynthesizer"
import * as S3Storage from "@partner-commentary/storage/S3Storage"
import * as MediaStorageSuite from "@partner-commentary/testkit/MediaStorageSuite"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import {
  bucketCredentials,
  bucketRegion,
  type FakeBucket,
  makeErrorResponse,
  type ScriptedResponse,
  startFakeBucket
} from "./Bucket.ts"
import { fetchFile } from "./Fetching.ts"

const options = (
  of: Pick<FakeBucket, "url">,
  more: Partial<S3Storage.S3StorageOptions> = {}
): S3Storage.S3StorageOptions => ({
  url: of.url,
  publicUrl: Option.none(),
  region: bucketRegion,
  accessKeyId: bucketCredentials.accessKeyId,
  secretAccessKey: Redacted.make(bucketCredentials.secretAccessKey),
  sessionToken: Option.none(),
  ...more
})

const medium: MediaFile = { contentType: "audio/mpeg", bytes: new Uint8Array([0xff, 0xfb, 0x90, 0, 1, 2, 3]) }

const put = (of: Pick<FakeBucket, "url">, more: Partial<S3Storage.S3StorageOptions> = {}) =>
  Effect.flatMap(MediaStorage, (storage) => storage?.put("Name1.mp3", medium) ?? assert.fail("none is mounted")).pipe(
    Effect.provide(S3Storage.layer(options(of, more)))
  )

/** The effect `meanwhile` runs at the same time as the call. */
const failure = <E = never>(
  answer: ScriptedResponse | undefined,
  more: Partial<S3Storage.S3StorageOptions> = {},
  meanwhile: (server: FakeBucket) => Effect.Effect<void, E> = () => Effect.void
) =>
  Effect.gen(function* () {
    const server = yield* startFakeBucket(answer)
    const calling = yield* Effect.forkChild(Effect.flip(put(server, more)))
    yield* meanwhile(server)
    const failed = yield* Fiber.join(calling)
    for (const secret of Object.values(bucketCredentials)) assert.notInclude(failed.reason, secret)
    assert.lengthOf(server.seen, 1, "one call is one request")
    return { failed, server }
  })

/** The helper waits in real time, because fetch does not follow the test clock. */
const until = (condition: () => boolean) =>
  Effect.sleep("10 millis").pipe(
    Effect.repeat({ until: () => condition() }),
    Effect.timeout("5 seconds"),
    Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
  )

/** Advances the test clock after the server has received the request. */
const passes = (time: Duration.Duration) => (server: FakeBucket) =>
  Effect.andThen(
    until(() => server.seen.length === 1),
    TestClock.adjust(time)
  )

MediaStorageSuite.suite(
  "S3Storage",
  Layer.unwrap(Effect.map(startFakeBucket(), (server) => S3Storage.layer(options(server)))),
  fetchFile
)

describe("Storage in a bucket", () => {
  it.live("an upload is one signed PUT request with the hash, the type and the cache lifetime of the file", () =>
    Effect.gen(function* () {
      const server = yield* startFakeBucket()
      assert.strictEqual(yield* put(server), `${server.url}/Name1.mp3`)
      const [call] = server.seen
      assert.strictEqual(`${call?.method} ${call?.path}`, "PUT /media/Name1.mp3")
      assert.strictEqual(call?.headers["content-type"], "audio/mpeg")
      assert.strictEqual(call?.headers["cache-control"], "public, max-age=86400")
      assert.strictEqual(call?.headers["content-length"], String(medium.bytes.byteLength))
      assert.strictEqual(call?.headers["x-amz-content-sha256"], createHash("sha256").update(medium.bytes).digest("hex"))
      assert.include(call?.headers.authorization, `Credential=${bucketCredentials.accessKeyId}/`)
      assert.include(call?.headers.authorization, `/${bucketRegion}/s3/aws4_request`)
      assert.isUndefined(call?.headers["x-amz-security-token"])
    })
  )

  it.live("the session token is sent and signed with each upload", () =>
    Effect.gen(function* () {
      const server = yield* startFakeBucket()
      yield* put(server, { sessionToken: Option.some(Redacted.make("the session's token")) })
      const { headers } = server.seen[0] ?? assert.fail("nothing came")
      assert.strictEqual(headers["x-amz-security-token"], "the session's token")
      assert.include(headers.authorization, "x-amz-security-token")
    })
  )

  it.live("partners get the public URL of a file if a public URL is configured", () =>
    Effect.gen(function* () {
      const server = yield* startFakeBucket()
      const url = yield* put(server, { publicUrl: Option.some("https://cdn.example.org/spoken") })
      assert.strictEqual(url, "https://cdn.example.org/spoken/Name1.mp3")
    })
  )

  it.live("wrong credentials are a permanent failure, and its reason contains the bucket's error code", () =>
    Effect.gen(function* () {
      const { failed } = yield* failure(undefined, { secretAccessKey: Redacted.make("another") })
      assert.deepInclude(failed, { permanent: true, reason: "the bucket answered 403 (SignatureDoesNotMatch)" })
    })
  )

  it.live("a signature for another region is refused", () =>
    Effect.map(failure(undefined, { region: "us-east-1" }), ({ failed }) => assert.isTrue(failed.permanent))
  )

  for (const [status, code] of [
    [301, "PermanentRedirect"],
    [307, "TemporaryRedirect"],
    [400, "InvalidRequest"],
    [403, "AccessDenied"],
    [404, "NoSuchBucket"]
  ] as const) {
    it.live(`a ${status} ${code} response is a permanent failure`, () =>
      Effect.map(failure(makeErrorResponse(status, code, bucketCredentials.secretAccessKey)), ({ failed }) =>
        assert.deepInclude(failed, { permanent: true, reason: `the bucket answered ${status} (${code})` })
      )
    )
  }

  const temporary: Record<string, ScriptedResponse> = {
    "500 InternalError": makeErrorResponse(500, "InternalError"),
    "503 SlowDown": makeErrorResponse(503, "SlowDown"),
    "429 without a code": (response) => response.writeHead(429).end("busy"),
    "400 ExpiredToken": makeErrorResponse(400, "ExpiredToken"),
    "403 RequestTimeTooSkewed": makeErrorResponse(403, "RequestTimeTooSkewed"),
    "a connection that breaks before the answer": (response) => response.destroy(),
    "a connection that breaks within the answer": (response) => {
      response.writeHead(500, { "content-length": "1000" })
      response.write("<Error>", () => response.destroy())
    }
  }
  for (const [name, answer] of Object.entries(temporary)) {
    it.live(`a response with ${name} is a temporary failure`, () =>
      Effect.map(failure(answer), ({ failed }) => assert.isFalse(failed.permanent, failed.reason))
    )
  }

  it.live("an unreachable bucket is a temporary failure, and the reason contains the connection error", () =>
    Effect.gen(function* () {
      const gone = yield* Effect.scoped(startFakeBucket())
      const failed = yield* Effect.flip(put(gone))
      assert.isFalse(failed.permanent)
      assert.include(failed.reason, "ECONNREFUSED")
    })
  )

  it.effect("a request to a bucket that hangs is aborted after the time limit", () =>
    Effect.gen(function* () {
      const timeout = Duration.millis(200)
      const { failed, server } = yield* failure(() => {}, { timeout }, passes(timeout))
      assert.isFalse(failed.permanent)
      assert.include(failed.reason, "within 200ms")
      yield* until(() => server.closed() === 1)
    })
  )

  it.live("an endless error response of a bucket is not read to its end", () =>
    Effect.gen(function* () {
      let sent = 0
      const { failed, server } = yield* failure((response) => {
        response.writeHead(403)
        const pump = () => {
          while (sent < 64 * 1024 * 1024 && !response.destroyed) {
            sent += 65_536
            if (!response.write(" ".repeat(65_536))) return void response.once("drain", pump)
          }
          response.end()
        }
        pump()
      })
      assert.isTrue(failed.permanent)
      yield* until(() => server.closed() === 1)
      assert.isBelow(sent, 16 * 1024 * 1024)
    })
  )

  it.live("an interruption aborts the upload", () =>
    Effect.gen(function* () {
      const server = yield* startFakeBucket(() => {})
      const fiber = yield* Effect.forkChild(put(server))
      yield* until(() => server.seen.length === 1)
      yield* Fiber.interrupt(fiber)
      yield* until(() => server.closed() === 1)
    })
  )
})
