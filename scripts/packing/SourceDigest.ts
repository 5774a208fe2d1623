/**
 * Writes a list of the Node host's bundled sources and a SHA-256 of their contents beside the bundle.
 * `hosts/node/bin` computes the same digest at each start of a checkout. The check compares contents because a copy, an
 * archive or an image changes file times.
 */
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"

const digest = (host: string, files: ReadonlyArray<string>): string => {
  const hash = createHash("sha256")
  for (const file of files) {
    const content = readFileSync(join(host, file))
    hash.update(`${file}\n${content.length}\n`).update(content)
  }
  return hash.digest("hex")
}

/**
 * `sources` are paths relative to `root`. In the written list, the paths are relative to the host's folder, because the
 * command line reads them there.
 */
export const writeSourceDigest = (root: string, host: string, sources: ReadonlyArray<string>): void => {
  const files = sources.map((source) => relative(host, join(root, source))).sort()
  writeFileSync(join(host, "bundle", "sources.json"), JSON.stringify({ sha256: digest(host, files), files }))
}

/** Returns whether the bundle exists and its sources are unchanged. */
export const isBundleCurrent = (host: string): boolean => {
  try {
    const { files, sha256 } = JSON.parse(readFileSync(join(host, "bundle", "sources.json"), "utf8"))
    return digest(host, files) === sha256
  } catch {
    return false
  }
}
