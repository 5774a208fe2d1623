/** The whole service in memory: stores, mailbox, scripted generator and workers, each instance by itself. */
import * as Layer from "effect/Layer"
import * as Application from "./Application.ts"
import { Mailbox } from "./Mailbox.ts"
import { ScriptedGenerator } from "./ScriptedGenerator.ts"
import { TestApi } from "./TestApi.ts"

export const layerWith = (options: Pick<Application.Options, "policy" | "filename" | "secret">) =>
  TestApi.layerMemory.pipe(
    Layer.provideMerge(TestApi.workers),
    Layer.provideMerge(Application.layer({ ...options, outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) }))
  )

export const layer = layerWith({})
