/**
 * The explorer's program as it is sent: compressed. It is imported when somebody first looks at the explorer, so that neither the
 * start nor a service without visitors pays for it. A host that has it as a file need not import it at all.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type Asset, pack } from "./Asset.ts"

export const ExplorerProgram = Context.Reference<Effect.Effect<Asset["gzip"]>>(
  "@partner-commentary/server/openapi/ExplorerProgram",
  {
    defaultValue: () =>
      Effect.promise(() => import("./ExplorerScript.ts")).pipe(
        Effect.flatMap(({ explorerScript }) => explorerScript),
        Effect.flatMap(pack)
      )
  }
)
