import { join } from "node:path"
import { defineConfig } from "vitest/config"

/** The client's exports are what it ships, which is built; tests take its sources. */
const alias = {
  "@partner-commentary/client": join(import.meta.dirname, "packages", "client", "src", "PartnerCommentary.ts")
}

export default defineConfig({
  test: {
    projects: ["packages/*", "adapters/*", "hosts/*", "scripts", "examples"].map((folder) => ({
      resolve: { alias },
      test: { include: [`${folder}/test/**/*.test.ts`], name: folder, testTimeout: 60_000, hookTimeout: 60_000 }
    }))
  }
})
