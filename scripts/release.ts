/**
 * Publishes every package whose version is not published yet, after staging and checking all packages. `REPOSITORY_URL`
 * is the URL of the source repository. `REPOSITORY_URL` is required, because npm's provenance check compares this URL
 * with the repository of the release. With `--dry-run` nothing is published.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { checkPackedPackages } from "./packing/PackageChecks.ts"
import { packPackages } from "./packing/Tarballs.ts"
import { repositoryRoot } from "./Repository.ts"

const refuse = (reason: string): never => {
  process.stderr.write(`Nothing was published: ${reason}\n`)
  process.exit(1)
}

const isDry = process.argv.includes("--dry-run")
const repository = process.env["REPOSITORY_URL"]
if (repository === undefined || !/^(git\+)?https:\/\//.test(repository)) {
  throw refuse("REPOSITORY_URL must be the https address of the repository that this runs in.")
}
const changed = execFileSync("git", ["status", "--porcelain"], { cwd: repositoryRoot, encoding: "utf8" })
if (changed !== "" && !isDry) throw refuse(`the work tree has changes:\n${changed}`)

const destination = join(repositoryRoot, "dist", "release")
rmSync(destination, { recursive: true, force: true })
const packed = await packPackages(destination, { repository })
const faults = await checkPackedPackages(packed)
if (faults.length > 0) throw refuse(faults.join("\n"))

const isPublished = (name: string, version: string) =>
  spawnSync("npm", ["view", `${name}@${version}`, "version"], { encoding: "utf8" }).stdout.trim() === version

// A dry run has no identity token, so npm cannot sign the provenance.
const how = isDry ? ["--dry-run", "--provenance=false"] : []
const due = packed.filter(({ name, version }) => !isPublished(name, version))
for (const { tarball } of due) {
  execFileSync("npm", ["publish", tarball, "--access", "public", ...how], { cwd: destination, stdio: "inherit" })
}
process.stdout.write(`${isDry ? "Would publish" : "Published"} ${due.length} of ${packed.length} packages.\n`)
