/**
 * Builds the adapters that make and store audio, if the settings select them. Calls to the speech server are measured.
 * An adapter's module is loaded only if the settings select that adapter.
 */
import { MediaStorage } from "@partner-commentary/core/commentary/MediaStorage"
import { MediaSynthesizer, type SynthesisRequest } from "@partner-commentary/core/commentary/MediaSynthesizer"
import type { Settings } from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Adapters from "partner-commentary/Adapters"
import * as Metrics from "../telemetry/Metrics.ts"
import * as DataFolder from "./DataFolder.ts"

/** The path below the API's root at which the process serves the files of the media folder. */
export const mediaPath = "/media"

export const layer = (settings: Settings, apiRoot: string) =>
  Layer.merge(speech(settings), storageLayer(settings, apiRoot))

const speech = ({ media }: Settings) =>
  Option.match(media.speech, {
    onNone: () => Layer.empty,
    onSome: (server) =>
      Layer.effect(
        MediaSynthesizer,
        Effect.map(MediaSynthesizer, ({ audio, video }) => ({
          video,
          audio: audio === null ? null : (request: SynthesisRequest) => Metrics.measureCall("media", audio(request))
        }))
      ).pipe(Layer.provide(Adapters.speech(Option.some(server))))
  })

export const storageLayer = (settings: Settings, apiRoot: string) =>
  Option.match(settings.media.storage, {
    onNone: () => Layer.succeed(MediaStorage, null),
    onSome: (chosen) =>
      chosen.kind === "bucket"
        ? Adapters.bucket(chosen)
        : Layer.unwrap(
            Effect.as(
              DataFolder.createParentFolder(chosen.folder),
              Adapters.folder({ folder: chosen.folder, url: `${apiRoot}${mediaPath}` })
            )
          )
  })
