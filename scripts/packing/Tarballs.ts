/** Packs each staged package as a tarball, as npm would publish it. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { type StagedPackage, type StagingOptions, stagePackages } from "./Stage.ts"

export interface PackedPackage extends StagedPackage {
  readonly tarball: string
}

/**
 * Returns the environment without the variables that npm sets for its scripts, because these variables would change the
 * packing.
 */
const environment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_(config|package|lifecycle)/i.test(name)))

/** Packs all folders with one command. npm only reads the folders, and names each tarball after its package. */
export const packTarballs = async (
  all: ReadonlyArray<StagedPackage>,
  destination: string
): Promise<ReadonlyArray<PackedPackage>> => {
  const folders = all.map(({ folder }) => folder)
  await promisify(execFile)("npm", ["pack", "--ignore-scripts", "--pack-destination", destination, ...folders], {
    cwd: destination,
    env: environment(),
    maxBuffer: 1 << 26
  })
  const tarballOf = ({ name, version }: StagedPackage) => `${name.replace("@", "").replace("/", "-")}-${version}.tgz`
  return all.map((staged) => ({ ...staged, tarball: join(destination, tarballOf(staged)) }))
}

/** Stages packages in a folder below `destination`, and packs them into `destination`. */
export const packPackages = (destination: string, options?: StagingOptions): Promise<ReadonlyArray<PackedPackage>> =>
  packTarballs(stagePackages(join(destination, "staged"), options), destination)
