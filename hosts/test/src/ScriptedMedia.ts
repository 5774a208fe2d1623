/**
 * An in-memory synthesizer and storage of audio and video. Each file contains the requested text. A test can make the
 * synthesis and the storage fail, hang or slow down.
 */
import { MediaStorage, StorageFailed } from "@partner-commentary/core/commentary/MediaStorage"
import {
  type MediaFile,
  MediaSynthesizer,
  SynthesisFailed,
  type SynthesisRequest
} from "@partner-commentary/core/commentary/MediaSynthesizer"
import type { MediaKind } from "@partner-commentary/core/topic/MediaRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

interface Failure {
  readonly permanent: boolean
}

export class ScriptedMedia extends Context.Service<
  ScriptedMedia,
  {
    readonly requests: Effect.Effect<ReadonlyArray<SynthesisRequest & { readonly kind: MediaKind }>>
    /** The stored media files by name. */
    readonly stored: Effect.Effect<ReadonlyMap<string, MediaFile>>
    /** Makes the next synthesis attempts fail, one attempt for each argument. */
    readonly failNext: (...failures: ReadonlyArray<Failure>) => Effect.Effect<void>
    /** Makes the next storage attempts fail, one attempt for each argument. */
    readonly loseNext: (...failures: ReadonlyArray<Failure>) => Effect.Effect<void>
    /**
     * Delays the next synthesis attempts, one attempt for each argument. Each synthesis attempt first runs the effect
     * in its argument, and hangs if this effect never ends.
     */
    readonly holdNext: (...holds: ReadonlyArray<Effect.Effect<void>>) => Effect.Effect<void>
  }
>()("@partner-commentary/test/ScriptedMedia") {
  /** Provides a synthesizer for the given kinds of media, and the storage. */
  static readonly layer = (...kinds: ReadonlyArray<MediaKind>): Layer.Layer<ScriptedMedia> =>
    Layer.effectContext(
      Effect.sync(() => {
        const requests: Array<SynthesisRequest & { readonly kind: MediaKind }> = []
        const stored = new Map<string, MediaFile>()
        const failures: Array<Failure> = []
        const losses: Array<Failure> = []
        const holds: Array<Effect.Effect<void>> = []
        const reason = "failed as told"

        const synthesize = (kind: MediaKind) =>
          Effect.fnUntraced(function* (request: SynthesisRequest) {
            requests.push({ ...request, kind })
            yield* holds.shift() ?? Effect.void
            const failure = failures.shift()
            if (failure !== undefined) return yield* new SynthesisFailed({ ...failure, reason })
            const bytes = new TextEncoder().encode(`${kind} of ${request.persona.name}: ${request.text}`)
            return { contentType: kind === "audio" ? "audio/mpeg" : "video/mp4", bytes } satisfies MediaFile
          })

        const put = Effect.fnUntraced(function* (name: string, medium: MediaFile) {
          const loss = losses.shift()
          if (loss !== undefined) return yield* new StorageFailed({ ...loss, reason })
          stored.set(name, medium)
          return `https://media.example.org/${name}`
        })

        const of = (kind: MediaKind) => (kinds.includes(kind) ? synthesize(kind) : null)
        const scripted = ScriptedMedia.of({
          requests: Effect.sync(() => [...requests]),
          stored: Effect.sync(() => new Map(stored)),
          failNext: (...next) => Effect.sync(() => void failures.push(...next)),
          loseNext: (...next) => Effect.sync(() => void losses.push(...next)),
          holdNext: (...next) => Effect.sync(() => void holds.push(...next))
        })
        return Context.make(ScriptedMedia, scripted).pipe(
          Context.add(MediaSynthesizer, { audio: of("audio"), video: of("video") }),
          Context.add(MediaStorage, { put })
        )
      })
    )
}
