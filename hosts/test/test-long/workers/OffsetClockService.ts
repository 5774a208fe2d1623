/** The service in memory with a clock that a test can set, and workers that poll every ten milliseconds. */
import type { Policy } from "@partner-commentary/core/shared/Policy"
import { WorkerSettings } from "@partner-commentary/server/workers/WorkerSettings"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { OffsetClock } from "@partner-commentary/test/OffsetClock"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"

/** The service without workers. */
export const makeService = (policy: Partial<Policy> = {}) =>
  TestApi.layerMemory.pipe(
    Layer.provideMerge(Application.layer({ policy, outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) })),
    Layer.provideMerge(OffsetClock.layer)
  )

export const workers = Layer.provide(
  TestApi.workers,
  Layer.succeed(WorkerSettings, {
    ...WorkerSettings.defaultValue(),
    pollInterval: Duration.millis(10),
    pause: Duration.millis(10),
    drafts: 16
  })
)
