/**
 * Before a test run, rebuilds the Node host's bundle if a source changed. The tests run the bundle because it starts
 * faster than the sources.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { isBundleCurrent } from "./SourceDigest.ts"

const root = join(import.meta.dirname, "..", "..")

export default () => {
  if (isBundleCurrent(join(root, "hosts", "node"))) return
  execFileSync(process.execPath, [join(root, "scripts", "bundle.ts")], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"]
  })
}
