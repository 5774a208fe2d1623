/**
 * Builds the adapters that make and store audio, with metrics, if the settings choose such adapters. Only the modules
 * of chosen adapters are loaded.
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

/** The URL path, below the API's root, of the files in the media folder. */
export const mediaUrlPath = "/media"

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
      ).pipe(Layer.provide(Adapters.speechSynthesisLayer(Option.some(server))))
  })

export const storageLayer = (settings: Settings, apiRoot: string) =>
  Option.match(settings.media.storage, {
    onNone: () => Layer.succeed(MediaStorage, null),
    onSome: (chosen) =>
      chosen.kind === "bucket"
        ? Adapters.s3StorageLayer(chosen)
        : Layer.unwrap(
            Effect.as(
              DataFolder.createDataFolderIfParentOf(chosen.folder),
              Adapters.folderStorageLayer({ folder: chosen.folder, url: `${apiRoot}${mediaUrlPath}` })
            )
          )
  })
