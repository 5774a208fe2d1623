/**
 * Reads the explorer's program and the API description from files beside the bundle, so that a cold start does not load
 * them.
 */
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import { ApiDescriptionTemplate } from "@partner-commentary/server/openapi/ApiDescriptionTemplate"
import { ApiExplorerScript } from "@partner-commentary/server/openapi/ExplorerProgram"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * scripts/bundle.ts writes `explorer.js.gz` and `openapi.json.gz`. Without a bundle, `explorer.js.gz` and
 * `openapi.json.gz` do not exist.
 */
const explorer = join(import.meta.dirname, "explorer.js.gz")
const description = join(import.meta.dirname, "openapi.json.gz")

export const layer = existsSync(explorer)
  ? Layer.mergeAll(
      Layer.succeed(
        ApiExplorerScript,
        Effect.promise(async () => new Uint8Array(await readFile(explorer)))
      ),
      Layer.succeed(
        ApiDescriptionTemplate,
        Effect.promise(async () => (await promisify(gunzip)(await readFile(description))).toString())
      )
    )
  : Layer.empty
