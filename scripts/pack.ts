/**
 * Packs each published workspace as a tarball into `dist/tarballs` or the given folder. The script checks that the
 * tarballs can be installed, imported and compiled against. `scripts/test-long/PackageChecks.test.ts` tests the checks
 * of tarballs. The script builds first, because a fresh checkout has no build output.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { buildAllWorkspaces } from "./packing/Build.ts"
import { checkPackedPackages } from "./packing/PackageChecks.ts"
import { stagePackages } from "./packing/Stage.ts"
import { packTarballs } from "./packing/Tarballs.ts"
import { repositoryRoot } from "./Repository.ts"

const [destination = join(repositoryRoot, "dist", "tarballs")] = process.argv.slice(2)
rmSync(destination, { recursive: true, force: true })

buildAllWorkspaces()
const packed = await packTarballs(stagePackages(join(destination, "staged")), destination)
const faults = await checkPackedPackages(packed)
for (const fault of faults) process.stdout.write(`${fault}\n`)
process.stdout.write(`packages: ${packed.length} packed, ${faults.length} findings\n`)
if (faults.length > 0) process.exitCode = 1
