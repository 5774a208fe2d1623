/**
 * Stores media in a bucket with the S3 protocol. One signed PUT request stores an object either completely or not at
 * all. The settings of the bucket decide who may read objects. File names are secret, so the bucket should not allow
 * listing.
 */
import {
  type FileStorage,
  MediaStorage,
  maxStorageTime,
  StorageFailed
} from "@partner-commentary/core/commentary/MediaStorage"
import type { MediaFile } from "@partner-commentary/core/commentary/MediaSynthesizer"
import { AwsClient } from "aws4fetch"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

export interface S3StorageOptions {
  /** The URL of the bucket in path style or virtual-hosted style. The URL must not end with a slash. */
  readonly url: string
  /**
   * The base URL of the media URLs that partners get. If `publicUrl` is none, the media URLs begin with the URL of the
   * bucket.
   */
  readonly publicUrl: Option.Option<string>
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted<string>
  readonly sessionToken: Option.Option<Redacted.Redacted<string>>
  /** The time limit of an upload. The default time limit and the maximum are 25 seconds. */
  readonly timeout?: Duration.Duration
}

/** The maximum number of bytes that are read from an error response to find the error code. */
const largestRefusal = 64 * 1024

/** Status codes and error codes of failures that a retry may fix, such as a busy bucket or a wrong clock. */
const temporaryStatuses = new Set([408, 409, 425, 429])
const temporaryCodes = new Set(["RequestTimeTooSkewed", "RequestTimeout", "SlowDown", "ExpiredToken"])

const make = (options: S3StorageOptions): FileStorage => {
  const { accessKeyId, publicUrl, region, secretAccessKey, sessionToken, url } = options
  const time = Duration.min(options.timeout ?? maxStorageTime, maxStorageTime)
  const token = Option.getOrUndefined(Option.map(sessionToken, Redacted.value))
  const client = new AwsClient({
    accessKeyId,
    secretAccessKey: Redacted.value(secretAccessKey),
    ...(token === undefined ? {} : { sessionToken: token }),
    service: "s3",
    region,
    retries: 0
  })

  const send = (name: string, { bytes, contentType }: MediaFile, signal: AbortSignal) =>
    hexOfHash(bytes).then((hash) =>
      client.fetch(`${url}/${name}`, {
        method: "PUT",
        // The signature covers the hash of the body, so that the bucket refuses a changed body.
        headers: { "content-type": contentType, "cache-control": cacheControl, "x-amz-content-sha256": hash },
        body: bytes as Uint8Array<ArrayBuffer>,
        redirect: "manual",
        signal
      })
    )

  const put: FileStorage["put"] = Effect.fn("MediaStorage.put")(
    function* (name: string, medium: MediaFile) {
      const { body, status } = yield* Effect.tryPromise({
        try: (signal) =>
          send(name, medium, signal).then((response) =>
            head(response).then((body) => ({ body, status: response.status }))
          ),
        catch: (cause) => temporary(`the bucket could not be reached or broke off${failureCode(cause)}`)
      })
      if (status < 200 || status > 299) return yield* refusal(status, body)
      return `${Option.getOrElse(publicUrl, () => url)}/${name}`
    },
    Effect.timeoutOrElse({
      duration: time,
      orElse: () => Effect.fail(temporary(`the bucket did not answer within ${Duration.format(time)}`))
    })
  )
  return { put }
}

/** Caches may keep a file, because a later upload under the same name only repeats the audio of the same text. */
const cacheControl = "public, max-age=86400"

const temporary = (reason: string) => new StorageFailed({ permanent: false, reason })

/**
 * Returns the error for a response. The reason contains only the error code, because the error message may quote the
 * request and its credentials.
 */
const refusal = (status: number, body: string): StorageFailed => {
  const code = /<Code>([A-Za-z0-9]{1,60})<\/Code>/.exec(body)?.[1]
  const isTemporary = status >= 500 || temporaryStatuses.has(status) || (code !== undefined && temporaryCodes.has(code))
  return new StorageFailed({
    permanent: !isTemporary,
    reason: `the bucket answered ${status}${code === undefined ? "" : ` (${code})`}`
  })
}

/** Reads the beginning of a response, and ignores the rest. */
const head = (response: Response): Promise<string> => {
  const reader = response.body?.getReader()
  if (reader === undefined) return Promise.resolve("")
  const decoder = new TextDecoder()
  const read = (text: string): Promise<string> =>
    reader
      .read()
      .then(({ done, value }) =>
        done || text.length > largestRefusal
          ? reader.cancel().then(() => text)
          : read(text + decoder.decode(value, { stream: true }))
      )
  return read("")
}

const hexOfHash = (bytes: Uint8Array): Promise<string> =>
  crypto.subtle
    .digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)
    .then((hash) => Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join(""))

/**
 * Returns the code of a connection failure, such as ` (ECONNREFUSED)`. The message of the failure is not used, because
 * the message may contain secrets.
 */
const failureCode = (cause: unknown, depth = 0): string => {
  if (!(cause instanceof Error) || depth > 4) return ""
  return "code" in cause && typeof cause.code === "string" ? ` (${cause.code})` : failureCode(cause.cause, depth + 1)
}

export const layer = (options: S3StorageOptions) => Layer.sync(MediaStorage, () => make(options))
