/** Runs the README's example in a separate process, from its first start to an approved commentary. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import * as Mounted from "./Mounted.ts"
import * as Story from "./Story.ts"

const at = (path: string) => join(import.meta.dirname, "../..", path)

it("the README's example accepts a topic, mails its creator, and publishes the approved commentary", async (test) => {
  const command = [process.execPath, at("examples/embed.ts")] as const
  const started = await Story.startExample(test, Mounted.makeTemporaryFolder(test), command, {
    env: { NODE_OPTIONS: "" }
  })
  expect(await Story.publishCommentary(test, started)).toContain("The home side.")
})

it("the README and the embedding guide contain the code of the Express example", () => {
  const region = /^\/\/ #region embed\n([\s\S]+?)^\/\/ #endregion$/m.exec(readFileSync(at("examples/embed.ts"), "utf8"))
  expect(region?.[1]?.trim().split("\n").length).toBeLessThanOrEqual(10)
  for (const page of ["README.md", "docs/guides/embedding.md"]) {
    expect(readFileSync(at(page), "utf8")).toContain(`\`\`\`ts\n${region?.[1]}\`\`\`\n`)
  }
})
