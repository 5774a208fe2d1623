/**
 * Provides the compressed script of the API explorer. The script is imported at the first visit, so that the service
 * starts faster. A host that stores the script as a file need not import the script.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { gzipText, type StaticAsset } from "./Asset.ts"

export const ApiExplorerScript = Context.Reference<Effect.Effect<StaticAsset["gzip"]>>(
  "@partner-commentary/reference/ApiExplorerScript",
  {
    defaultValue: () =>
      Effect.promise(() => import("./ExplorerScript.ts")).pipe(
        Effect.flatMap(({ extractExplorerScript }) => extractExplorerScript),
        Effect.flatMap(gzipText)
      )
  }
)
