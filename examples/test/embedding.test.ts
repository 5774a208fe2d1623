/** Compares the code blocks of all embedding guides with the examples. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")
const example = (name: string) => join(root, "examples", name)

/**
 * The guides show code blocks from these test files. The files are in `hosts/test`, because they need its databases and
 * libraries.
 */
const databases = [
  "test-long/embedding/HostLibraries",
  "test/embedding/SqliteTransaction",
  "test-long/embedding/TwoServices"
].map((name) => join(root, "hosts/test", `${name}.test.ts`))

const files = readdirSync(join(root, "examples"), { recursive: true, encoding: "utf8" })
  .filter((path) => /\.[cm]?[tj]s$/.test(path) && !/^test(-long)?\//.test(path))
  .map(example)
  .concat(databases)
  .map((path) => readFileSync(path, "utf8"))

const markers = /^\/\/ #(region|endregion).*\n/gm

/** All texts that a guide may show: each file without its first comment, and each region between `#region` markers. */
const shown = new Set(
  files.flatMap((text) => [
    text.replace(/^\/\*\*[\s\S]*?\*\/\n/, "").replace(markers, ""),
    ...[...text.matchAll(/^\/\/ #region .+\n([\s\S]+?)^\/\/ #endregion$/gm)].map(([, region = ""]) => region)
  ])
)

const guides = readdirSync(join(root, "docs/guides")).filter((name) => /^embedding.*\.md$/.test(name))

it.each(guides)("every code block of %s is an example file or a region of an example file", (guide) => {
  const text = readFileSync(join(root, "docs/guides", guide), "utf8")
  const blocks = [...text.matchAll(/^```[cm]?[tj]s\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block)
  for (const block of blocks) expect(shown).toContain(block)
})

const glue = (path: string) => {
  const text = readFileSync(example(`frameworks/${path}`), "utf8")
  const regions = [...text.matchAll(/^\/\/ #region glue\n([\s\S]+?)^\/\/ #endregion$/gm)]
  return regions.flatMap(([, region = ""]) => region.split("\n").filter((line) => line.trim() !== ""))
}

const nextjs = ["nextjs/commentary.ts", "nextjs/instrumentation.ts", "nextjs/route.ts"]

it.each([
  ...["express", "fastify", "hono", "bun", "h3"].map((name) => [name, ["pc.ts", `${name}.ts`]] as const),
  ["nextjs", nextjs] as const
])("the mount in %s needs at most 10 lines, not counting imports", (_, paths) => {
  expect(paths.flatMap(glue).length).toBeLessThanOrEqual(10)
})

const programs = readdirSync(example("frameworks"), { recursive: true, encoding: "utf8" }).filter(
  (path) => path.endsWith(".ts") && path !== "first-topic.ts"
)

it.each(programs)("examples/frameworks/%s has at most 15 lines, including imports", (path) => {
  const text = readFileSync(example(`frameworks/${path}`), "utf8").replace(/^\/\*\*[\s\S]*?\*\/\n/, "")
  const lines = text
    .replace(markers, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
  expect(lines.length).toBeLessThanOrEqual(15)
})
