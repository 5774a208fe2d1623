import { availableParallelism } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"

const folders = ["packages/*", "adapters/*", "hosts/*", "scripts", "examples"]

/** Many short tests in many files: they share what they import, which is most of what each file would cost. No state in modules. */
const shareImports = ["packages/*", "adapters/*", "hosts/*", "on Postgres"]

/** What of the whole service's tests runs on Postgres each time; `test:long` runs all of it. */
const onPostgres = ["Story", "Races"].map((name) => `hosts/test/test/topics/${name}.test.ts`)

/** The harness is SQLite in memory, wherever the rest runs. */
export const onSqliteAlone = ["hosts/test/test/harness/*.test.ts"]

/** The client's exports are what it ships, which is built; tests take its sources. */
export const resolve = {
  alias: {
    "@partner-commentary/client": join(import.meta.dirname, "packages", "client", "src", "PartnerCommentary.ts")
  }
}

/** Starts a Postgres server for whoever needs one. */
export const postgres = join(import.meta.dirname, "hosts", "test", "src", "postgres", "GlobalSetup.ts")

const needPostgres = ["adapters/*", "hosts/*"]

/** Tests of the Node host start processes, which start twice as fast from a bundle of the present sources. */
export const freshBundle = join(import.meta.dirname, "scripts", "packing", "FreshBundle.ts")

const needBundle = ["hosts/*"]

const project = (name: string, include: string) => ({
  include: [include],
  name,
  globalSetup: [
    ...(needPostgres.includes(name) ? [postgres] : []),
    ...(needBundle.includes(name) ? [freshBundle] : [])
  ],
  isolate: !shareImports.includes(name),
  // Some start a dozen processes, which takes a minute where others work on the same machine.
  testTimeout: 180_000,
  hookTimeout: 60_000
})

export default defineConfig({
  test: {
    // What a test prints is shown when it fails.
    silent: "passed-only",
    // Some tests wait for processes and timeouts; another one runs meanwhile.
    maxWorkers: availableParallelism() + 1,
    projects: [
      ...folders.map((folder) => ({
        resolve,
        test: project(folder, `${folder}/test/**/*.test.ts`)
      })),
      {
        resolve,
        test: {
          ...project("on Postgres", ""),
          include: onPostgres,
          globalSetup: [postgres],
          env: { TEST_STORES: "postgres" }
        }
      }
    ]
  }
})
