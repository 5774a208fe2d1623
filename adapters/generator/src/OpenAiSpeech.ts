/**
 * Generates speech with the endpoint `/audio/speech` of an OpenAI-compatible server. The core retries failed calls. A
 * text that exceeds the server's limit is split into parts. The requests for all parts run concurrently, and the audio
 * files of the parts are joined.
 */
import {
  type MediaFile,
  MediaSynthesizer,
  maxSynthesisTime,
  SynthesisFailed,
  type SynthesisRequest,
  type SynthesizeMedia
} from "@partner-commentary/core/commentary/MediaSynthesizer"
import type { MediaKind } from "@partner-commentary/core/topic/MediaRequest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as AudioFile from "./AudioFile.ts"
import * as OpenAiServer from "./OpenAiServer.ts"
import type { OpenAiFailure } from "./Refusal.ts"
import * as SpeechParts from "./SpeechParts.ts"

export interface OpenAiSpeechOptions extends OpenAiServer.OpenAiEndpoint {
  readonly model: string
  /** The name of the voice on the server. */
  readonly voice: string
  /**
   * The time limit of the whole call, which includes all parts of the text. The default time limit and the maximum are
   * 60 seconds.
   */
  readonly timeout?: Duration.Duration
}

/**
 * The maximum size in bytes of the audio of one part. A part of 32 MiB can contain more than 15 minutes of audio at 256
 * kbit/s.
 */
const largestAnswer = 32 * 1024 * 1024

const make = Effect.fnUntraced(function* (options: OpenAiSpeechOptions) {
  const time = Duration.min(options.timeout ?? maxSynthesisTime, maxSynthesisTime)
  const server = yield* OpenAiServer.connectToServer(options, { time, size: largestAnswer })
  const { model, voice } = options

  const spoken = (input: string) =>
    server.sendRequest(
      HttpClientRequest.post("/audio/speech", { accept: "application/octet-stream" }).pipe(
        HttpClientRequest.bodyJsonUnsafe({ model, voice, input, response_format: "mp3" })
      ),
      OpenAiServer.readBytes
    )

  const synthesize = Effect.fn("MediaSynthesizer.audio")(function* ({ text }: SynthesisRequest) {
    const parts = yield* Effect.forEach(SpeechParts.splitForSpeech(text), spoken, { concurrency: "unbounded" })
    return yield* joinAudioParts(parts)
  })

  const audio: SynthesizeMedia = (request) =>
    Effect.mapError(server.withTimeLimit(synthesize(request)), (refusal) => new SynthesisFailed(refusal))
  return audio
})

const joinAudioParts = (parts: ReadonlyArray<Uint8Array>): Effect.Effect<MediaFile, OpenAiFailure> => {
  const [first] = parts
  const contentType = first === undefined ? null : AudioFile.detectAudioType(first)
  if (first === undefined || contentType === null)
    return Effect.fail(OpenAiServer.makeTemporaryFailure("the answer is no audio"))
  if (parts.length === 1) return Effect.succeed({ contentType, bytes: first })
  return parts.every((part) => AudioFile.detectAudioType(part) === "audio/mpeg")
    ? Effect.succeed({ contentType, bytes: AudioFile.joinMp3Files(parts) })
    : Effect.fail({
        permanent: true,
        reason: `a text of ${parts.length} parts needs MP3, and the server answers with ${contentType}`
      })
}

/** Provides the synthesizer of audio. The synthesizers of other media kinds stay available. */
export const layer = (options: OpenAiSpeechOptions) =>
  Layer.effect(
    MediaSynthesizer,
    Effect.gen(function* () {
      const others: Readonly<Record<MediaKind, SynthesizeMedia | null>> = yield* MediaSynthesizer
      return { ...others, audio: yield* make(options) }
    })
  )
