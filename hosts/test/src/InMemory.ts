/** The whole service in memory with scripted adapters. Each instance has its own database, mailbox and receivers. */
import type { MediaKind } from "@partner-commentary/core/topic/MediaRequest"
import * as Layer from "effect/Layer"
import * as Application from "./Application.ts"
import { Mailbox } from "./Mailbox.ts"
import { ScriptedGenerator } from "./ScriptedGenerator.ts"
import { ScriptedMedia } from "./ScriptedMedia.ts"
import { TestApi } from "./TestApi.ts"

export interface InMemoryOptions extends Omit<Application.ApplicationOptions, "transport"> {
  /** The media that are made of approved texts when a topic requests them. No media are made by default. */
  readonly media?: ReadonlyArray<MediaKind>
}

/** Due jobs wait until a test runs them with `drain`, with `DueWork` or by starting workers. */
export const layerWithoutWorkers = ({ media = [], ...options }: InMemoryOptions = {}) =>
  TestApi.layerMemory.pipe(
    Layer.provideMerge(
      Application.layer({
        ...options,
        outside: Layer.mergeAll(Mailbox.layer, ScriptedGenerator.layer, ScriptedMedia.layer(...media))
      })
    )
  )

/** Runs the workers in the background, for Effect's TestClock. */
export const layerWith = (options: InMemoryOptions) => Layer.provideMerge(TestApi.workers, layerWithoutWorkers(options))

export const layer = layerWith({})
