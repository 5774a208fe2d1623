import { configDefaults, defineConfig } from "vitest/config"

const folders = ["packages/*", "adapters/*", "hosts/*", "scripts", "examples"]

/** Many short tests in many files: they share what they import, which is most of what each file would cost. */
const conformance = "hosts/test/test/conformance/*.test.ts"

const project = (name: string, include: string) => ({
  include: [include],
  name,
  testTimeout: 60_000,
  hookTimeout: 60_000
})

export default defineConfig({
  test: {
    projects: [
      ...folders.map((folder) => ({
        test: { ...project(folder, `${folder}/test/**/*.test.ts`), exclude: [...configDefaults.exclude, conformance] }
      })),
      { test: { ...project("conformance", conformance), isolate: false } }
    ]
  }
})
