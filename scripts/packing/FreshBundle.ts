/**
 * Before a test run, rebuilds the Node host's bundle if a source changed. The tests run the bundle because it starts
 * faster than the sources.
 */
import { execFileSync, type StdioOptions } from "node:child_process"
import { join } from "node:path"
import { repositoryRoot } from "../Repository.ts"
import { isBundleCurrent } from "./SourceDigest.ts"

export default () => {
  if (isBundleCurrent(join(repositoryRoot, "hosts", "node"))) return
  const stdio: StdioOptions = ["ignore", "ignore", "inherit"]
  execFileSync(process.execPath, ["scripts/bundle.ts"], { cwd: repositoryRoot, stdio })
}
