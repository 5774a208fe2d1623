import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { patternsOf, slowOn } from "../Patterns.ts"

const root = join(import.meta.dirname, "../..")

/** What runs where others' texts arrive. */
const sources = globSync(["packages/*/src/**/*.ts", "adapters/*/src/**/*.ts", "hosts/node/src/**/*.ts"], { cwd: root })

const found = sources.flatMap((file) =>
  patternsOf(readFileSync(join(root, file), "utf8")).map((pattern) => ({ file, pattern }))
)

describe("regular expressions", () => {
  it("take time that grows with what they read, and no faster", { timeout: 60_000 }, () => {
    const slow = found.flatMap(({ file, pattern }) => slowOn(pattern)?.pattern.concat(` in ${file}`) ?? [])
    expect(slow).toEqual([])
  })

  it("are found in the sources", () => {
    const all = found.map(({ pattern }) => pattern.source)
    expect(all.length).toBeGreaterThan(80)
    for (const one of ["[\\p{Cc}\\s]+", "^bearer +(\\S+) *$", "^W\\/", "\\n{3,}"]) expect(all).toContain(one)
  })

  it("that grow faster are told", () => {
    const planted = [/^\s*charset\s*=\s*"?([^"]*?)"?\s*$/, /\s+$/, /<.*>.*!/, /\/+$/, /(a+)+b/]
    for (const pattern of planted) expect(slowOn(pattern), String(pattern)).toBeDefined()
  })
})
