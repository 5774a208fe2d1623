/** Builds the published output: the JavaScript and declarations of every workspace, and the hosts' bundles. */
import { execFileSync } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { repositoryRoot } from "../Repository.ts"

export const typeScriptCompilerPath = join(
  dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
  "bin",
  "tsc"
)

export const buildAllWorkspaces = (): void => {
  for (const step of [[typeScriptCompilerPath, "--build"], ["scripts/bundle.ts"]]) {
    execFileSync(process.execPath, step, { cwd: repositoryRoot, stdio: "inherit" })
  }
}
