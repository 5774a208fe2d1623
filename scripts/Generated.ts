/** Writes and compares generated files that are committed to the repository. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { repositoryRoot } from "./Repository.ts"

/** Maps paths to generated texts. */
export type GeneratedFiles = Readonly<Record<string, string>>

export const writeGeneratedFiles = (files: GeneratedFiles): void => {
  for (const [path, text] of Object.entries(files)) writeFileSync(join(repositoryRoot, path), text)
}

const readCommitted = (path: string) =>
  existsSync(join(repositoryRoot, path)) ? readFileSync(join(repositoryRoot, path), "utf8") : undefined

export const findOutdatedFiles = (files: GeneratedFiles): ReadonlyArray<string> =>
  Object.entries(files)
    .filter(([path, text]) => readCommitted(path) !== text)
    .map(([path]) => `${path} is out of date: npm run describe`)

/**
 * Wraps generated prose at 100 columns, like the hand-written pages. `indent` starts every line after the first. A word
 * that is longer than a line is not split.
 */
export const wrapText = (text: string, indent = ""): ReadonlyArray<string> =>
  (text.match(/\S.{0,97}(?=\s|$)|\S+/g) ?? []).map((line, index) => (index === 0 ? line : `${indent}${line}`))
