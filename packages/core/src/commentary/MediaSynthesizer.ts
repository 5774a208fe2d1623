/**
 * The port that makes audio or video from an approved text. The adapter makes one attempt for each call. The core of
 * the service retries failed attempts. A service can run without a synthesizer.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { MediaKind } from "../topic/MediaRequest.ts"

export interface SynthesisRequest {
  /**
   * The approved text, which the media must speak or show verbatim. The synthesizer must treat the text as data, never
   * as instructions.
   */
  readonly text: string
  /** An adapter can use the persona's id to select a voice. */
  readonly persona: { readonly id: string; readonly name: string }
}

/** A complete audio or video file. */
export interface MediaFile {
  readonly contentType: MediaType
  readonly bytes: Uint8Array
}

/** The supported content types and the file extension of each type. */
export const mediaFileExtensions = {
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "audio/ogg": "ogg",
  "audio/aac": "aac",
  "audio/mp4": "m4a",
  "audio/flac": "flac",
  "video/mp4": "mp4",
  "video/webm": "webm"
} as const

export type MediaType = keyof typeof mediaFileExtensions

/**
 * The synthesizer returned no usable file. If `permanent` is true, a retry with the same text cannot succeed. Wrong
 * credentials and a text that violates a content policy are permanent failures.
 */
export class SynthesisFailed extends Schema.TaggedError<SynthesisFailed>()("SynthesisFailed", {
  permanent: Schema.Boolean,
  /** The reason of the failure, for the operator's log. The reason contains no credentials. */
  reason: Schema.String
}) {}

/**
 * Returns an audio file or a video file, never an empty file. The adapter limits the size of the file, and limits a
 * call to `maxSynthesisTime`.
 */
export type SynthesizeMedia = (request: SynthesisRequest) => Effect.Effect<MediaFile, SynthesisFailed>

/** The longest duration of a synthesis. */
export const maxSynthesisTime = Duration.seconds(60)

/**
 * Holds one synthesizer for each kind of media. If the synthesizer of a media kind is null, the service makes no media
 * of this kind.
 */
export const MediaSynthesizer = Context.Reference<Readonly<Record<MediaKind, SynthesizeMedia | null>>>(
  "@partner-commentary/reference/MediaSynthesizer",
  { defaultValue: () => ({ audio: null, video: null }) }
)
