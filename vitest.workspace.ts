import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    projects: ["packages/*", "adapters/*", "hosts/*", "scripts", "examples"].map((folder) => ({
      test: { include: [`${folder}/test/**/*.test.ts`], name: folder, testTimeout: 60_000, hookTimeout: 60_000 }
    }))
  }
})
