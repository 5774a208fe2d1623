import { defineConfig } from "vitest/config"

/** The suites that take minutes: every `test-long` folder, one file after the other. */
export default defineConfig({
  test: {
    include: ["**/test-long/**/*.test.ts"],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    fileParallelism: false
  }
})
