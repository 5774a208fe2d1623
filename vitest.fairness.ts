import { defineConfig } from "vitest/config"
import { fairness } from "./vitest.long.ts"
import { freshBundle, postgres, resolve } from "./vitest.workspace.ts"

/** One tenant attacks another at every operation, on SQLite and Postgres. */
export default defineConfig({
  resolve,
  test: {
    include: fairness,
    globalSetup: [postgres, freshBundle],
    testTimeout: 900_000,
    hookTimeout: 300_000
  }
})
