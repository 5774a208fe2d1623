/** Builds the published output: the JavaScript and declarations of every workspace, and the hosts' bundles. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { repositoryRoot } from "../Repository.ts"

export const typeScriptCompilerPath = join(repositoryRoot, "node_modules", "typescript", "bin", "tsc")

export const buildAllWorkspaces = (): void => {
  for (const step of [[typeScriptCompilerPath, "--build"], ["scripts/bundle.ts"]]) {
    execFileSync(process.execPath, step, { cwd: repositoryRoot, stdio: "inherit" })
  }
}
