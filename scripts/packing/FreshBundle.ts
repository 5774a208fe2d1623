/** For a run of the tests: bundles the Node host again when a source was edited, so that each process starts from the bundle. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { isCurrent } from "./SourceDigest.ts"

const root = join(import.meta.dirname, "..", "..")

export default () => {
  if (isCurrent(join(root, "hosts", "node"))) return
  for (const script of ["client.ts", "bundle.ts"]) {
    execFileSync(process.execPath, [join(root, "scripts", script)], {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"]
    })
  }
}
