/**
 * Packs each published workspace as a tarball into `dist/tarballs` or the given folder, and checks that they can be
 * installed, imported and compiled against. The script builds first, because a fresh checkout has no build output.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { reportFindings } from "./Findings.ts"
import { buildAllWorkspaces } from "./packing/Build.ts"
import { checkPackedPackages } from "./packing/PackageChecks.ts"
import { packPackages } from "./packing/Tarballs.ts"
import { repositoryRoot } from "./Repository.ts"

const [destination = join(repositoryRoot, "dist", "tarballs")] = process.argv.slice(2)
rmSync(destination, { recursive: true, force: true })

buildAllWorkspaces()
const packed = await packPackages(destination)
reportFindings(`packages: ${packed.length} packed`, await checkPackedPackages(packed))
