/**
 * Plants a violation of each rule of biome.json and of its plugin in an empty copy. Biome must report each violation.
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { repositoryRoot } from "../Repository.ts"

const [core, client, adapter, host, scripts] = [
  "packages/core/src",
  "packages/client/src",
  "adapters/smtp/src",
  "hosts/node/src",
  "scripts"
]
const library = [core, client, adapter]
const everywhere = [...library, host, scripts]
const longest = 400

const refused: ReadonlyArray<readonly [rule: string, text: string, folders: ReadonlyArray<string>]> = [
  ["noExplicitAny", "export const a = (b: any) => b", everywhere],
  ["useImportType", 'import { B } from "./B.ts"\nexport type A = B', everywhere],
  ["noFloatingPromises", "const a = async () => 1\na()", everywhere],
  ["noExcessiveLinesPerFile", "export const a = 1\n".repeat(longest + 1), everywhere],
  ["noConsole", 'export const a = () => console.log("b")', library],
  ["noDefaultExport", "export default 1", library],
  ["noBarrelFile", 'export { b } from "./B.ts"', library],
  ["noReExportAll", 'export * from "./B.ts"', library],
  ["noRestrictedGlobals", "export const now = Date.now()", [core]],
  ["noRestrictedGlobals", "export const now = new Date()", [core, adapter]],
  ["noRestrictedGlobals", "export const at = (date: Date) => date", [core]],
  ["noRestrictedGlobals", "export const text = `at $" + "{Date.now()}`", [core]],
  ["noRestrictedGlobals", "export const port = process.env.PORT", [core, client]],
  ["noRestrictedGlobals", 'export const env = process["env"]', [core]],
  ["noRestrictedGlobals", 'export const secret = Buffer.from("a")', [client]],
  ["noRestrictedGlobals", 'export const crypto = require("crypto")', [client]],
  ["plugin", "export const now = performance.now()", [core]],
  ["plugin", "export const luck = Math.random()", [core]],
  ["plugin", "export const luck = Math.random", [core]],
  ["plugin", "export const a = await b", [core]],
  ["plugin", "export const run = async (b) => { for await (const c of b) c() }", [core]],
  ["plugin", "for await (const c of b) c()", [core]],
  ["plugin", 'throw new Error("no")', [core]],
  ["plugin", "try {\n  run()\n} catch {}", [core]],
  ["plugin", "try {\n  run()\n} finally {\n  stop()\n}", [core]],
  ["plugin", "export const load = (name: string) => import(name)", library],
  ["plugin", 'export type Server = import("node:http").Server', library],
  ["plugin", "export const run = async () => 1", [core]],
  ["plugin", 'export const Limit = Context.Reference("limit", { defaultValue: () => 1 })', [core]],
  ["plugin", 'export const Limit = Context.Reference<number>("@partner-commentary/core/Limit", options)', [core]],
  ["plugin", "export const run = async (a: number) => a", [core]],
  ["plugin", "export async function run() {}", [core]],
  ["plugin", "export const a = { async run() {} }", [core]],
  ["unused", "// biome-ignore lint/plugin: the driver wants it\nexport const now = 1", [core]]
]

const ours = ["noExcessiveLinesPerFile", "noRestrictedGlobals", "plugin", "unused"]

/** Valid files that no lint rule in `ours` may report. */
const accepted: ReadonlyArray<readonly [text: string, folder: string]> = [
  ["// biome-ignore lint/plugin: the driver throws\ntry {\n  run()\n} catch {}", core],
  ['export const text = "try { throw new Date } await async ()" // Date.now()', core],
  ["export const page = `<p>try { await Date }</p>`", core],
  ["export const a = Effect.try({ try: () => run(), catch: () => 1 })", core],
  ["export const a = Fiber.await(fiber)", core],
  ['export const Limit = Context.Reference<number>("@partner-commentary/reference/Limit", options)', core],
  ["export const head = { Date: 1, async: true, throw: 2, at: Schema.Date }", core],
  ['export const load = () => import("./B.ts")', core],
  ["export const now = new Date()", host],
  ["export const run = async () => await luck(Math.random(), Date.now())", client],
  ["export const now = new Date()", "packages/core/test"],
  ["export const a = 1\n".repeat(longest), core]
]

const plants = [
  ...refused.flatMap(([rule, text, folders]) => folders.map((folder) => ({ folder, rule, text }))),
  ...accepted.map(([text, folder]) => ({ folder, rule: null, text }))
].map((plant, at) => ({ ...plant, path: `${plant.folder}/Planted${at}.ts` }))

const copy = mkdtempSync(join(tmpdir(), "lint-rules-"))
afterAll(() => rmSync(copy, { recursive: true }))

const report = (): ReadonlyArray<string> => {
  for (const file of ["biome.json", "effect-style.grit", "visible-imports.grit"])
    cpSync(join(repositoryRoot, file), join(copy, file))
  for (const { path, text } of plants) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    writeFileSync(join(copy, path), `${text.trimEnd()}\n`)
  }
  const { stdout, stderr } = spawnSync(
    join(repositoryRoot, "node_modules/.bin/biome"),
    ["lint", "--error-on-warnings", "--colors=off", "--max-diagnostics=none"],
    { cwd: copy, encoding: "utf8", maxBuffer: 1 << 26 }
  )
  const lines = `${stdout}${stderr}`.matchAll(/^(\S+?\.ts)(?::\d+:\d+)? (?:lint\/(?:\w+\/)?|suppressions\/)?(\w+)/gm)
  return [...lines].map(([, path, rule]) => `${path} ${rule}`)
}

describe("the repository's lint rules", () => {
  const found = report()

  it.each(plants)("$folder: $text → $rule", ({ path, rule }) => {
    if (rule === null) expect(ours.filter((each) => found.includes(`${path} ${each}`))).toEqual([])
    else expect(found).toContain(`${path} ${rule}`)
  })
})
