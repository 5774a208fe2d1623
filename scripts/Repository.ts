/** Reads the repository's own text files and package manifests. */
import { execFileSync } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"

/** Maps each path to the file's text. Paths are relative to the repository's root and use `/`. */
export type RepositoryFiles = ReadonlyMap<string, string>

export const repositoryRoot = join(import.meta.dirname, "..")

/** Reads every text file that Git does not ignore. Binary files are omitted. */
export const readRepositoryFiles = (): RepositoryFiles => {
  const listed = execFileSync(
    "git",
    ["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    { cwd: repositoryRoot, encoding: "utf8" }
  )
  const files = new Map<string, string>()
  for (const path of new Set(listed.split("\0"))) {
    const place = join(repositoryRoot, path)
    if (!statSync(place, { throwIfNoEntry: false })?.isFile()) continue
    const text = readFileSync(place, "utf8")
    if (!text.includes("\0")) files.set(path, text)
  }
  return files
}

export interface PackageManifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly bin?: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  /** The files that a package publishes. A pattern that starts with `!` excludes a folder. */
  readonly files?: ReadonlyArray<string>
}

export interface Workspace {
  /** The workspace's folder, such as `packages/core`. */
  readonly folder: string
  readonly manifest: PackageManifest
}

export const listWorkspaces = (files: RepositoryFiles): ReadonlyArray<Workspace> =>
  [...files]
    .filter(([path]) => /^(packages|adapters|hosts)\/[^/]+\/package\.json$/.test(path))
    .map(([path, text]) => ({
      folder: path.slice(0, -"/package.json".length),
      manifest: JSON.parse(text) as PackageManifest
    }))
