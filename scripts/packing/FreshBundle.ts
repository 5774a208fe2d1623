/**
 * Before a test run, rebuilds the Node host's bundle if a source changed. The tests run the bundle because it starts
 * faster than the sources.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { repositoryRoot } from "../Repository.ts"
import { isBundleCurrent } from "./SourceDigest.ts"

export default () => {
  if (isBundleCurrent(join(repositoryRoot, "hosts", "node"))) return
  execFileSync(process.execPath, [join(repositoryRoot, "scripts", "bundle.ts")], {
    cwd: repositoryRoot,
    stdio: ["ignore", "ignore", "inherit"]
  })
}
