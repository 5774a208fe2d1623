/**
 * The explorer's script, compressed. The script is imported at the first visit, so that it does not slow down the start
 * of the service. Hosts that have the script as a file need not import it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { compressText, type StaticAsset } from "./Asset.ts"

export const ExplorerProgram = Context.Reference<Effect.Effect<StaticAsset["gzip"]>>(
  "@partner-commentary/reference/ExplorerProgram",
  {
    defaultValue: () =>
      Effect.promise(() => import("./ExplorerScript.ts")).pipe(
        Effect.flatMap(({ explorerScript }) => explorerScript),
        Effect.flatMap(compressText)
      )
  }
)
