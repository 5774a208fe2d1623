import { defineConfig } from "vitest/config"
import { freshBundle, postgres, resolve } from "./vitest.workspace.ts"

/** One tenant attacks another at every operation, on SQLite and Postgres. A part of `npm run test:long`, by itself. */
export default defineConfig({
  resolve,
  test: {
    include: ["hosts/node/test-long/fairness/*.test.ts"],
    globalSetup: [postgres, freshBundle],
    testTimeout: 900_000,
    hookTimeout: 300_000
  }
})
