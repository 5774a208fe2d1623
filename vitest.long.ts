import { configDefaults, defineConfig } from "vitest/config"
import {
  freshBundleGlobalSetup,
  isolate,
  nativeModuleOptions,
  postgresGlobalSetup,
  sqliteOnlyTestPatterns
} from "./vitest.workspace.ts"

const slow = {
  testTimeout: 600_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  globalSetup: [postgresGlobalSetup, freshBundleGlobalSetup],
  experimental: nativeModuleOptions
}

/**
 * Suites that take minutes run one file after another: each `test-long` folder, and the service's tests on Postgres.
 */
export default defineConfig({
  test: {
    teardownTimeout: 60_000,
    fileParallelism: false,
    projects: [
      {
        test: {
          ...slow,
          name: "long",
          include: ["**/test-long/**/*.test.ts"]
        }
      },
      {
        test: {
          ...slow,
          isolate,
          name: "hosts/test on Postgres",
          include: [
            "hosts/test/test/**/*.test.ts",
            "hosts/test/test-long/{access,client,mail,webhooks,workers}/*.test.ts",
            "hosts/test/test-long/contract/BadInput.test.ts"
          ],
          exclude: [...configDefaults.exclude, ...sqliteOnlyTestPatterns],
          env: { TEST_STORES: "postgres", TEST_SOCKETS: "true" }
        }
      }
    ]
  }
})
