/**
 * Provides the whole service in memory with scripted adapters. Each instance has its own database, mailbox and
 * receivers.
 */
import type { MediaKind } from "@partner-commentary/core/topic/MediaRequest"
import * as Layer from "effect/Layer"
import * as Application from "./Application.ts"
import { Mailbox } from "./Mailbox.ts"
import { ScriptedGenerator } from "./ScriptedGenerator.ts"
import { ScriptedMedia } from "./ScriptedMedia.ts"
import { TestApi } from "./TestApi.ts"

export interface InMemoryOptions extends Omit<Application.ServiceCompositionOptions, "transport"> {
  /**
   * The kinds of media that the service makes from approved texts if a topic requests them. By default the service
   * makes no media.
   */
  readonly media?: ReadonlyArray<MediaKind>
}

/**
 * Provides the service without workers. Due jobs wait until a test runs them with `drain` or `DueJobRunner`, or starts
 * workers.
 */
export const layerWithoutWorkers = ({ media = [], ...options }: InMemoryOptions = {}) =>
  TestApi.layerMemory.pipe(
    Layer.provideMerge(
      Application.layer({
        ...options,
        outside: Layer.mergeAll(Mailbox.layer, ScriptedGenerator.layer, ScriptedMedia.layer(...media))
      })
    )
  )

/** Provides the service with background workers, for tests that move Effect's TestClock. */
export const layerWith = (options: InMemoryOptions) => Layer.provideMerge(TestApi.workers, layerWithoutWorkers(options))

export const layer = layerWith({})
