/** Provides a folder for the database files of a test. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"

/** Creates a folder, and deletes the folder with its files when the scope closes. */
export const makeTemporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sqlite-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)
