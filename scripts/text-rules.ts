/** Prints each violation of a text rule, and fails if there is one. */
import { readFiles } from "./Repository.ts"
import { textRules, violations } from "./TextRules.ts"

const files = readFiles()
const found = violations(files)
for (const line of found) process.stdout.write(`${line}\n`)
process.stdout.write(`text rules: ${textRules.length} rules, ${files.size} files, ${found.length} violations\n`)
if (found.length > 0) process.exitCode = 1
