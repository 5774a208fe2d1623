/** Writes or checks a generated file that is committed to the repository. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { repositoryRoot } from "./Repository.ts"

export const isFileCurrent = (path: string, text: string): boolean =>
  existsSync(join(repositoryRoot, path)) && readFileSync(join(repositoryRoot, path), "utf8") === text

/**
 * With `--write` on the command line, writes the file. Without `--write`, the script fails if the committed file
 * differs.
 */
export const writeOrCheckFile = (path: string, text: string): void => {
  if (process.argv.includes("--write")) writeFileSync(join(repositoryRoot, path), text)
  else if (isFileCurrent(path, text)) process.stdout.write(`${path} is up to date\n`)
  else {
    process.stdout.write(`${path} is out of date: npm run describe\n`)
    process.exitCode = 1
  }
}
