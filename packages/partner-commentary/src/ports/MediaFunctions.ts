/** Implements MediaSynthesizer and MediaStorage by calling async functions of the application. */
import { MediaStorage, maxStorageTime, StorageFailed } from "@partner-commentary/core/commentary/MediaStorage"
import {
  type MediaFile,
  MediaSynthesizer,
  maxSynthesisTime,
  mediaFileExtensions,
  SynthesisFailed,
  type SynthesisRequest
} from "@partner-commentary/core/commentary/MediaSynthesizer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { callHostFunction, type HostFunctionContext, makeResultDecoder } from "./HostFunction.ts"

/** Synthesizes speech, and resolves with a complete audio file of the approved text. */
export type SynthesizeSpeech = (
  request: SynthesisRequest,
  context: HostFunctionContext
) => MediaFile | PromiseLike<MediaFile>

/** Stores a file under its name. Resolves with the URL at which partners can fetch the file. */
export type StoreMediaFile = (
  name: string,
  medium: MediaFile,
  context: HostFunctionContext
) => string | PromiseLike<string>

const medium = makeResultDecoder(
  Schema.Struct({
    contentType: Schema.Literals(Object.keys(mediaFileExtensions) as Array<keyof typeof mediaFileExtensions>),
    bytes: Schema.Uint8Array.check(Schema.makeFilter((bytes: Uint8Array) => bytes.length > 0 || "must not be empty"))
  })
)

const address = makeResultDecoder(
  Schema.String.check(
    Schema.makeFilter((url: string) => /^https?:\/\//i.test(url) || "must be an http:// or https:// address")
  )
)

export const speechLayer = (speak: SynthesizeSpeech) =>
  Layer.succeed(MediaSynthesizer, {
    video: null,
    audio: Effect.fn("MediaSynthesizer.audio")((request: SynthesisRequest) =>
      Effect.mapError(
        Effect.flatMap(
          callHostFunction((context) => speak(request, context), maxSynthesisTime),
          medium
        ),
        (failure) => new SynthesisFailed(failure)
      )
    )
  })

export const storageLayer = (store: StoreMediaFile) =>
  Layer.succeed(MediaStorage, {
    put: Effect.fn("MediaStorage.put")((name: string, file: MediaFile) =>
      Effect.mapError(
        Effect.flatMap(
          callHostFunction((context) => store(name, file, context), maxStorageTime),
          address
        ),
        (failure) => new StorageFailed(failure)
      )
    )
  })
