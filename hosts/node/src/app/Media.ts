/**
 * The ports that make and keep audio, as the settings choose them: nothing where they choose none. Attempts are counted for the
 * metrics. Adapters are loaded when they are chosen.
 */
import { MediaStorage } from "@partner-commentary/core/commentary/MediaStorage"
import { MediaSynthesizer, type SynthesisRequest } from "@partner-commentary/core/commentary/MediaSynthesizer"
import { loaded } from "@partner-commentary/settings/Adapter"
import type { Settings } from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Metrics from "../telemetry/Metrics.ts"
import * as DataFolder from "./DataFolder.ts"

/** Where the files of a folder are served, below the API's root. */
export const path = "/media"

export const layer = (settings: Settings, apiRoot: string) => Layer.merge(speech(settings), storage(settings, apiRoot))

const speech = ({ media }: Settings) =>
  Option.match(media.speech, {
    onNone: () => Layer.empty,
    onSome: (server) =>
      Layer.effect(
        MediaSynthesizer,
        Effect.map(MediaSynthesizer, ({ audio, video }) => ({
          video,
          audio: audio === null ? null : (request: SynthesisRequest) => Metrics.counted("media", audio(request))
        }))
      ).pipe(
        Layer.provide(
          loaded(
            () => import("@partner-commentary/generator/OpenAiSpeech"),
            ({ layer }) => layer(server)
          )
        )
      )
  })

export const storage = (settings: Settings, apiRoot: string) =>
  Option.match(settings.media.storage, {
    onNone: () => Layer.succeed(MediaStorage, null),
    onSome: (chosen) =>
      Layer.unwrap(
        Effect.gen(function* () {
          if (chosen.kind === "bucket") {
            const { layer } = yield* Effect.promise(() => import("@partner-commentary/storage/S3Storage"))
            return layer(chosen)
          }
          yield* DataFolder.makeAround(chosen.folder)
          const { layer } = yield* Effect.promise(() => import("@partner-commentary/storage/FolderStorage"))
          return layer({ folder: chosen.folder, url: `${apiRoot}${path}` })
        })
      )
  })
