/** Tests that the package checks report each fault that a test inserts into a copy of a valid package. */
import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { checkPackedPackages } from "../packing/PackageChecks.ts"
import { type StagedPackage, stagePackages } from "../packing/Stage.ts"
import { packTarballs } from "../packing/Tarballs.ts"
import { repositoryRoot } from "../Repository.ts"

const place = mkdtempSync(join(tmpdir(), "judges-"))
const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc")
let good: StagedPackage | undefined

beforeAll(() => {
  execFileSync(process.execPath, [compiler, "--build", "adapters/generator"], { cwd: repositoryRoot })
  good = stagePackages(join(place, "staged"), { only: "adapters/generator" })[0]
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

const judged = async (name: string, path: string, change: (present: string) => string) => {
  const folder = join(place, name)
  cpSync(good?.folder ?? "nothing was staged", folder, { recursive: true })
  const present = readFileSync(join(folder, path), "utf8")
  writeFileSync(join(folder, path), change(present))
  return (await checkPackedPackages(await packTarballs([{ ...good!, folder }], folder))).join("\n")
}

it("the checks report nothing for a valid package", async () => {
  expect(await judged("good", "package.json", (text) => text)).toBe("")
})

it.each([
  [
    "an export that names no file",
    "package.json",
    (text: string) => text.replace('"exports": {', '"exports": {\n    "./planted": "./dist/Planted.js",'),
    /Planted\.js.+\(publint\)/
  ],
  [
    "declarations that are found last",
    "package.json",
    (text: string) => text.replace(/"types": ("[^"]+"),\s*"default": ("[^"]+")/, '"default": $2, "types": $1'),
    /types.+\(publint\)/
  ],
  [
    "declarations that lie elsewhere",
    "package.json",
    (text: string) => text.replace("./dist/*.d.ts", "./types/*.d.ts"),
    /\(Are The Types Wrong\)/
  ],
  [
    "declarations that import TypeScript",
    "dist/LocalGenerator.d.ts",
    (text: string) => `export { planted } from "./Planted.ts"\n${text}`,
    /LocalGenerator\.d\.ts imports TypeScript/
  ],
  [
    "a README that imports what is not there",
    "README.md",
    (text: string) => text.replace("generator/LocalGenerator", "generator/Planted"),
    /its README imports @partner-commentary\/generator\/Planted/
  ]
])("the checks report %s", async (fault, path, change, finding) => {
  expect(await judged(fault.replaceAll(" ", "-"), path, change)).toMatch(finding)
})
