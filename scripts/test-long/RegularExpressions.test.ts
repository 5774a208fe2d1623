/**
 * Checks each regular expression of the sources with recheck: no crafted text may take polynomial or exponential time.
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { checkSync } from "recheck"
import { expect, it } from "vitest"
import { repositoryRoot } from "../Repository.ts"

/**
 * Matches a regular expression at a position where a value may begin. At other positions a slash is the division
 * operator.
 */
const literal =
  /(?<=(?:^|[(,=:!&|?[{;>])\s{0,80})\/(?![/*?])((?:[^/\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+)\/([dgimsuvy]{0,8})(?=\s{0,80}[.,;:)\]?}&|]|\s*$)/gm

const folders = ["packages/*/src/**/*.ts", "adapters/*/src/**/*.ts", "hosts/node/src/**/*.ts"]

const patterns = new Map(
  globSync(folders, { cwd: repositoryRoot }).flatMap((file) =>
    [...readFileSync(join(repositoryRoot, file), "utf8").matchAll(literal)].map(
      ([whole, source = "", flags = ""]) => [whole, { file, source, flags }] as const
    )
  )
)

/** An expression with one of these parts has only bounded quantifiers, so its time per character is bounded. */
const bounded = ["(?:[\\p{L}\\p{N}-]{1,63}\\.){1,8}"]

const verdict = (source: string, flags: string) => checkSync(source, flags, { timeout: null }).status

it("every regular expression of the sources takes time linear in the text", () => {
  const refused = [...patterns.values()]
    .filter(({ source }) => !bounded.some((part) => source.includes(part)))
    .filter(({ flags, source }) => verdict(source, flags) !== "safe")
  expect(refused).toEqual([])
})

it("the search finds the regular expressions of the sources, and recheck refuses a slow expression", () => {
  expect(patterns.size).toBeGreaterThan(80)
  expect(verdict("(a+)+b", "")).toBe("vulnerable")
  expect(verdict("\\s+$", "")).toBe("vulnerable")
})
