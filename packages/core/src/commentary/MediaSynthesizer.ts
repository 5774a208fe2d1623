/** The port that makes audio or video of an approved text. One call is one attempt: retrying is the core's. None is mounted unless a host does. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { MediaKind } from "../topic/MediaRequest.ts"

export interface SynthesisRequest {
  /** As its creator approved it: to be spoken or shown as it stands, never instructions to follow. */
  readonly text: string
  /** Whose voice it is: for adapters that have one for each. */
  readonly persona: { readonly id: string; readonly name: string }
}

/** A whole file. */
export interface Medium {
  readonly contentType: MediaType
  readonly bytes: Uint8Array
}

/** The formats that a medium may have, with what its file's name ends in. */
export const extensions = {
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "audio/ogg": "ogg",
  "audio/aac": "aac",
  "audio/mp4": "m4a",
  "audio/flac": "flac",
  "video/mp4": "mp4",
  "video/webm": "webm"
} as const

export type MediaType = keyof typeof extensions

/** Nothing usable was made. `permanent`: trying again with the same text is pointless (bad credentials, content policy). */
export class SynthesisFailed extends Schema.TaggedError<SynthesisFailed>()("SynthesisFailed", {
  permanent: Schema.Boolean,
  /** For the operator, without credentials. */
  reason: Schema.String
}) {}

/** Answers with a file that is not empty, of the kind that it is mounted for. Bounded in time (60 seconds at most) and size by the adapter. */
export type Synthesize = (request: SynthesisRequest) => Effect.Effect<Medium, SynthesisFailed>

/** One for each kind; null: of that kind nothing is made. */
export const MediaSynthesizer = Context.Reference<Readonly<Record<MediaKind, Synthesize | null>>>(
  "@partner-commentary/core/commentary/MediaSynthesizer",
  { defaultValue: () => ({ audio: null, video: null }) }
)
