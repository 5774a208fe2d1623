/**
 * The port that makes audio or video from an approved text. One call of a synthesizer is one attempt. The core retries
 * failed attempts at media. A service without a synthesizer makes no media.
 */
import * as Context from "effect/Context"
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
 * The synthesizer returned no usable file. If `permanent` is true, a retry with the same text cannot succeed. Examples
 * are wrong credentials and a text that violates a content policy.
 */
export class SynthesisFailed extends Schema.TaggedError<SynthesisFailed>()("SynthesisFailed", {
  permanent: Schema.Boolean,
  /** The reason for the operator's log. The reason contains no credentials. */
  reason: Schema.String
}) {}

/**
 * Returns a non-empty file of the synthesizer's kind. The adapter limits the size of the file, and limits a call to 60
 * seconds.
 */
export type SynthesizeMedia = (request: SynthesisRequest) => Effect.Effect<MediaFile, SynthesisFailed>

/** Holds one synthesizer for each kind of media. A null synthesizer disables its kind. */
export const MediaSynthesizer = Context.Reference<Readonly<Record<MediaKind, SynthesizeMedia | null>>>(
  "@partner-commentary/reference/MediaSynthesizer",
  { defaultValue: () => ({ audio: null, video: null }) }
)
