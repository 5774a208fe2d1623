/**
 * Reads the API explorer's program from a file next to the bundle, so that the process does not hold the program in
 * memory.
 */
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { ExplorerProgram } from "@partner-commentary/server/openapi/ExplorerProgram"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** `scripts/bundle.ts` writes the explorer file. The file does not exist when the sources run without a bundle. */
const file = join(import.meta.dirname, "explorer.js.gz")

export const layer = existsSync(file)
  ? Layer.succeed(
      ExplorerProgram,
      Effect.promise(async () => new Uint8Array(await readFile(file)))
    )
  : Layer.empty
