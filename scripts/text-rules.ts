/** Prints each violation of a text rule, and fails if there is one. */
import { readRepositoryFiles } from "./Repository.ts"
import { findViolations, textRules } from "./TextRules.ts"

const files = readRepositoryFiles()
const found = findViolations(files)
for (const line of found) process.stdout.write(`${line}\n`)
process.stdout.write(`text rules: ${textRules.length} rules, ${files.size} files, ${found.length} violations\n`)
if (found.length > 0) process.exitCode = 1
