/** The tests of core, sql and server that need no Postgres, in one process. */
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { nativeModuleOptions } from "../../../vitest.workspace.ts"
import { repositoryRoot } from "../../Repository.ts"

export default defineConfig({
  test: {
    root: repositoryRoot,
    include: ["packages/*/test/**/*.test.ts", "adapters/sqlite/test/**/*.test.ts", "hosts/test/test/**/*.test.ts"],
    experimental: nativeModuleOptions,
    // The tests run in threads instead of processes, because a thread ends with its process even if a fault makes the
    // thread loop forever.
    pool: "threads",
    isolate: false,
    fileParallelism: false,
    silent: true,
    testTimeout: 20_000,
    setupFiles: process.env["MUTATION_RECORD"] === "true" ? [join(import.meta.dirname, "Record.ts")] : []
  }
})
