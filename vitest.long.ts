import { defineConfig } from "vitest/config"
import { postgres, resolve } from "./vitest.workspace.ts"

/** The suites that take minutes: every `test-long` folder, one file after the other. */
export default defineConfig({
  resolve,
  test: {
    globalSetup: [postgres],
    include: ["**/test-long/**/*.test.ts"],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    fileParallelism: false
  }
})
