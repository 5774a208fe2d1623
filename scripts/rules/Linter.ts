/** The linter's own rules hold below the hosts: a violation of each, planted in a copy of its configuration, must be refused. */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { root } from "../Repository.ts"

const library = ["packages/core", "packages/client", "adapters/smtp"]
const everywhere = [...library, "hosts/node", "scripts"]

const violations = [
  { rule: "noExplicitAny", folders: everywhere, text: "export const a = (b: any) => b\n" },
  { rule: "useImportType", folders: everywhere, text: 'import { B } from "./B.ts"\nexport type A = B\n' },
  { rule: "noFloatingPromises", folders: everywhere, text: "const a = async () => 1\na()\n" },
  { rule: "noConsole", folders: library, text: 'export const a = () => console.log("b")\n' },
  { rule: "noDefaultExport", folders: library, text: "export default 1\n" },
  { rule: "noBarrelFile", folders: library, text: 'export { b } from "./B.ts"\n' },
  { rule: "noReExportAll", folders: library, text: 'export * from "./B.ts"\n' }
].flatMap(({ folders, rule, text }) => folders.map((folder) => ({ rule, text, path: `${folder}/src/${rule}.ts` })))

/** One sentence for each rule that does not hold. */
export const proveLinter = (): ReadonlyArray<string> => {
  const copy = mkdtempSync(join(tmpdir(), "linter-"))
  try {
    cpSync(join(root, "biome.json"), join(copy, "biome.json"))
    for (const { path, text } of violations) {
      mkdirSync(dirname(join(copy, path)), { recursive: true })
      writeFileSync(join(copy, path), text)
    }
    const { stdout, stderr } = spawnSync(
      join(root, "node_modules/.bin/biome"),
      ["lint", "--error-on-warnings", "--colors=off", "--max-diagnostics=none"],
      { cwd: copy, encoding: "utf8" }
    )
    const refused = new Set(
      [...`${stdout}${stderr}`.matchAll(/^(\S+?):\d+:\d+ lint\/\w+\/(\w+)/gm)].map(
        ([, path, rule]) => `${path} ${rule}`
      )
    )
    return violations
      .filter(({ path, rule }) => !refused.has(`${path} ${rule}`))
      .map(({ path, rule, text }) => `the linter's "${rule}" does not refuse ${path}: ${text}`)
  } finally {
    rmSync(copy, { recursive: true })
  }
}
