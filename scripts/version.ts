/**
 * Makes the next version of all packages from the changesets: their manifests, the lockfile and the changelog. Without
 * a changeset it makes the current version, as for the first release. A person reviews and commits the result.
 */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { releaseChangelog } from "./packing/Changelog.ts"
import { root } from "./Repository.ts"

const folder = join(root, ".changeset")
const changesets = readdirSync(folder)
  .filter((name) => name.endsWith(".md") && name !== "README.md")
  .sort()
  .map((name) => readFileSync(join(folder, name), "utf8"))

if (changesets.length > 0) {
  execFileSync("changeset", ["version"], { cwd: root, stdio: "inherit" })
  execFileSync("npm", ["install", "--package-lock-only", "--ignore-scripts"], { cwd: root, stdio: "inherit" })
}
const { version } = JSON.parse(readFileSync(join(root, "packages", "core", "package.json"), "utf8"))
const changelog = join(root, "CHANGELOG.md")
writeFileSync(changelog, releaseChangelog(readFileSync(changelog, "utf8"), version, changesets))
process.stdout.write(`Version ${version}, of ${changesets.length} changesets.\n`)
