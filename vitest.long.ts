import { configDefaults, defineConfig } from "vitest/config"
import { freshBundle, onSqliteAlone, postgres, resolve } from "./vitest.workspace.ts"

const slow = { testTimeout: 600_000, hookTimeout: 300_000, globalSetup: [postgres, freshBundle] }

/** The suites that take minutes, one file after the other: every `test-long` folder, and the whole service's tests on Postgres. */
export default defineConfig({
  test: {
    teardownTimeout: 60_000,
    fileParallelism: false,
    projects: [
      {
        resolve,
        test: {
          ...slow,
          name: "long",
          include: ["**/test-long/**/*.test.ts"]
        }
      },
      {
        resolve,
        test: {
          ...slow,
          name: "hosts/test on Postgres",
          include: ["hosts/test/test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...onSqliteAlone],
          env: { TEST_STORES: "postgres" }
        }
      }
    ]
  }
})
