/** The explorer's program beside the bundle, so that whoever looks at the explorer costs the service no memory to speak of. */
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { ExplorerProgram } from "@partner-commentary/server/openapi/ExplorerProgram"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Written by scripts/bundle.ts. Who runs the sources has none. */
const file = join(import.meta.dirname, "explorer.js.gz")

export const layer = existsSync(file)
  ? Layer.succeed(
      ExplorerProgram,
      Effect.promise(async () => new Uint8Array(await readFile(file)))
    )
  : Layer.empty
