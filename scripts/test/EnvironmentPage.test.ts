/** Tests that docs/reference/environment.md lists the environment variables that the hosts read. */
import { expect, it } from "vitest"
import { readRepositoryFiles } from "../Repository.ts"

const files = readRepositoryFiles()

const variable = /"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)"/g

const found = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].map(([, name = ""]) => name)

const list = "packages/settings/src/VariableNames.ts"

const read = [...files].flatMap(([path, text]) =>
  path.startsWith("packages/settings/src/") && path !== list ? found(variable, text.replace(/^import .*$/gm, "")) : []
)

const page = files.get("docs/reference/environment.md") ?? ""

it("every variable of packages/settings has a row in the reference page", () => {
  expect(read.length).toBeGreaterThan(50)
  const listed = new Set(found(/`([A-Z0-9_]+)`/g, page))
  expect(read.filter((name) => !listed.has(name))).toEqual([])
})

it("every variable in the list of known names is read by packages/settings", () => {
  expect(found(variable, files.get(list) ?? "").filter((name) => !read.includes(name))).toEqual([])
})

it("every variable of the reference page is read by a host", () => {
  const sources = [...files].filter(
    ([path]) => /^(packages\/settings|hosts\/(node|lambda))\/(src|bin)\//.test(path) && path !== list
  )
  const mentioned = new Set(sources.flatMap(([, text]) => found(variable, text)))
  const rows = [...page.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, names = ""]) => found(/`([A-Z0-9_]+)`/g, names))
  expect(rows.length).toBeGreaterThan(50)
  expect(rows.filter((name) => !mentioned.has(name))).toEqual([])
})
