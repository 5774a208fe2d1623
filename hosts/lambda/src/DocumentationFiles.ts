/**
 * Reads the explorer's program and the API description from files beside the bundle, so that a cold start does not load
 * them.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
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
        Effect.sync(() => new Uint8Array(readFileSync(explorer)))
      ),
      Layer.succeed(
        ApiDescriptionTemplate,
        // Loading `node:zlib` and `node:fs/promises` takes 10 ms of a start.
        Effect.promise(async () => (await import("node:zlib")).gunzipSync(readFileSync(description)).toString())
      )
    )
  : Layer.empty
