/**
 * Makes the next version of all packages from the changesets: their manifests, the lockfile and the changelog. Without
 * changesets, as for the first release, the script keeps the current version and changes only the changelog. A person
 * reviews and commits the changed files.
 */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeReleaseChangelog } from "./packing/Changelog.ts"
import { repositoryRoot } from "./Repository.ts"

const folder = join(repositoryRoot, ".changeset")
const changesets = readdirSync(folder)
  .filter((name) => name.endsWith(".md") && name !== "README.md")
  .sort()
  .map((name) => readFileSync(join(folder, name), "utf8"))

if (changesets.length > 0) {
  execFileSync("changeset", ["version"], { cwd: repositoryRoot, stdio: "inherit" })
  execFileSync("npm", ["install", "--package-lock-only", "--ignore-scripts"], { cwd: repositoryRoot, stdio: "inherit" })
}
const { version } = JSON.parse(readFileSync(join(repositoryRoot, "packages", "core", "package.json"), "utf8"))
const changelog = join(repositoryRoot, "CHANGELOG.md")
writeFileSync(changelog, makeReleaseChangelog(readFileSync(changelog, "utf8"), version, changesets))
process.stdout.write(`Version ${version}, of ${changesets.length} changesets.\n`)
