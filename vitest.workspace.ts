import { existsSync, statfsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { defineConfig, type ViteUserConfig } from "vitest/config"

/** Each project imports the sources once in each of its processes, so there are few projects. */
const folders = {
  packages: ["packages/*", "clients/python/generator", "scripts"],
  hosts: ["adapters/*", "hosts/*", "examples"]
}

/**
 * The harness uses SQLite in memory, whatever database the other tests use. Tests of embedding create their own
 * databases.
 */
export const sqliteOnlyTestPatterns = ["hosts/test/test/harness/*.test.ts", "hosts/test/test/embedding/*.test.ts"]

/** Starts one Postgres server for the run. */
export const postgresGlobalSetup = join(import.meta.dirname, "hosts", "test", "src", "postgres", "GlobalSetup.ts")

/** Tests of the Node host start processes, which start twice as fast from a bundle of the current sources. */
export const freshBundleGlobalSetup = join(import.meta.dirname, "scripts", "packing", "FreshBundle.ts")

/**
 * Node strips the types itself. Vite would turn each use of an import into a property access, which makes tests a sixth
 * slower.
 */
export const nativeModuleOptions = { viteModuleRunner: false }

/**
 * Test files share imported modules, because importing takes most of a file's time. Therefore no module may have state
 * that changes the tests of another file.
 */
export const isolate = false

const shared = {
  experimental: nativeModuleOptions,
  isolate,
  // Some tests start a dozen processes, which takes a minute on a busy machine.
  testTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
  hookTimeout: 60_000
}

const filesOf = (names: ReadonlyArray<string>) => names.map((name) => `${name}/test/**/*.test.ts`)

// Node caches compiled sources in this folder. Child processes of tests inherit the variable and use the same cache.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules", ".cache", "compiled")

/**
 * The file system in memory, for the temporary files of a test run if they fit into it. Copying a database there takes
 * a quarter of the processor time that it takes on a disk.
 */
const memory = "/dev/shm"
const hasRoomInMemory = () => {
  const { bavail, bsize } = existsSync(memory) ? statfsSync(memory) : { bavail: 0, bsize: 0 }
  return bavail * bsize > 4 * 2 ** 30
}

export default defineConfig((): ViteUserConfig => {
  if (hasRoomInMemory()) process.env["TMPDIR"] ??= memory
  return {
    test: {
      // The output of a test is shown when it fails.
      silent: "passed-only",
      // Each process imports and compiles the service for itself, which takes about five seconds of a processor.
      maxWorkers: availableParallelism(),
      projects: [
        { test: { ...shared, name: "packages", include: filesOf(folders.packages) } },
        {
          test: {
            ...shared,
            name: "hosts",
            include: filesOf(folders.hosts),
            globalSetup: [postgresGlobalSetup, freshBundleGlobalSetup]
          }
        }
      ]
    }
  }
})
