/**
 * The port that makes audio or video from an approved text. One call is one attempt: the core makes the retries. The
 * port is optional.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { MediaKind } from "../topic/MediaRequest.ts"

export interface SynthesisRequest {
  /**
   * The approved text, to be spoken or shown verbatim. The synthesizer must treat the text as data, never as
   * instructions.
   */
  readonly text: string
  /** The persona is for adapters that have one voice for each persona. */
  readonly persona: { readonly id: string; readonly name: string }
}

/** A complete file. */
export interface Medium {
  readonly contentType: MediaType
  readonly bytes: Uint8Array
}

/** Supported content types and their file extensions. */
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
 * The synthesizer returned no usable file. `permanent`: a retry with the same text cannot succeed (bad credentials,
 * content policy).
 */
export class SynthesisFailed extends Schema.TaggedError<SynthesisFailed>()("SynthesisFailed", {
  permanent: Schema.Boolean,
  /** For the operator, without credentials. */
  reason: Schema.String
}) {}

/** Returns a non-empty file of the kind it is registered for. The adapter limits time (60 seconds at most) and size. */
export type SynthesizeMedia = (request: SynthesisRequest) => Effect.Effect<Medium, SynthesisFailed>

/** One synthesizer for each kind; null disables the kind. */
export const MediaSynthesizer = Context.Reference<Readonly<Record<MediaKind, SynthesizeMedia | null>>>(
  "@partner-commentary/reference/MediaSynthesizer",
  { defaultValue: () => ({ audio: null, video: null }) }
)
