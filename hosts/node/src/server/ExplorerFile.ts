/** Reads the API explorer's program from a file beside the bundle, so that the program does not stay in memory. */
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { ApiExplorerScript } from "@partner-commentary/server/openapi/ExplorerProgram"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** scripts/bundle.ts writes `explorer.js.gz`. Without a bundle, `explorer.js.gz` does not exist. */
const file = join(import.meta.dirname, "explorer.js.gz")

export const layer = existsSync(file)
  ? Layer.succeed(
      ApiExplorerScript,
      Effect.promise(async () => new Uint8Array(await readFile(file)))
    )
  : Layer.empty
