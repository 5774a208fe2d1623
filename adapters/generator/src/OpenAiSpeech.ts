/**
 * The approved text as speech, by any OpenAI-compatible server's `/audio/speech`. Retrying is the core's. A text that is longer than
 * such servers take is asked for in parts, side by side, and joined; the connection is `OpenAiServer`'s.
 */
import {
  MediaSynthesizer,
  type Medium,
  SynthesisFailed,
  type SynthesisRequest,
  type Synthesize
} from "@partner-commentary/core/commentary/MediaSynthesizer"
import type { MediaKind } from "@partner-commentary/core/topic/MediaRequest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as AudioFile from "./AudioFile.ts"
import * as OpenAiServer from "./OpenAiServer.ts"
import type { Refusal } from "./Refusal.ts"
import * as SpokenText from "./SpokenText.ts"

export interface Options extends OpenAiServer.Server {
  readonly model: string
  /** As the server names it. */
  readonly voice: string
  /** Over the whole call, all parts to their last byte. 60 seconds unless given, and never more. */
  readonly timeout?: Duration.Duration
}

const longestCall = Duration.seconds(60)
/** Of each part: a quarter of an hour at 256 kbit/s. */
const largestAnswer = 32 * 1024 * 1024

const make = Effect.fnUntraced(function* (options: Options) {
  const time = Duration.min(options.timeout ?? longestCall, longestCall)
  const server = yield* OpenAiServer.connect(options, { time, size: largestAnswer })
  const { model, voice } = options

  const spoken = (input: string) =>
    server.ask(
      HttpClientRequest.post("/audio/speech", { accept: "application/octet-stream" }).pipe(
        HttpClientRequest.bodyJsonUnsafe({ model, voice, input, response_format: "mp3" })
      ),
      OpenAiServer.bytes
    )

  const synthesize = Effect.fn("MediaSynthesizer.audio")(function* ({ text }: SynthesisRequest) {
    const parts = yield* Effect.forEach(SpokenText.parts(text), spoken, { concurrency: "unbounded" })
    return yield* joined(parts)
  })

  const audio: Synthesize = (request) =>
    Effect.mapError(server.within(synthesize(request)), (refusal) => new SynthesisFailed(refusal))
  return audio
})

const joined = (parts: ReadonlyArray<Uint8Array>): Effect.Effect<Medium, Refusal> => {
  const [first] = parts
  const contentType = first === undefined ? null : AudioFile.typeOf(first)
  if (first === undefined || contentType === null) return Effect.fail(OpenAiServer.temporary("the answer is no audio"))
  if (parts.length === 1) return Effect.succeed({ contentType, bytes: first })
  return parts.every((part) => AudioFile.typeOf(part) === "audio/mpeg")
    ? Effect.succeed({ contentType, bytes: AudioFile.joinMp3(parts) })
    : Effect.fail({
        permanent: true,
        reason: `a text of ${parts.length} parts needs MP3, and the server answers with ${contentType}`
      })
}

/** Audio by this server; of other kinds what was mounted before. */
export const layer = (options: Options) =>
  Layer.effect(
    MediaSynthesizer,
    Effect.gen(function* () {
      const others: Readonly<Record<MediaKind, Synthesize | null>> = yield* MediaSynthesizer
      return { ...others, audio: yield* make(options) }
    })
  )
