/** Prints each violation of a text rule, and fails if there is a violation. */
import { readRepositoryFiles } from "./Repository.ts"
import { findTextRuleViolations, textRules } from "./TextRules.ts"

const files = readRepositoryFiles()
const found = findTextRuleViolations(files)
for (const line of found) process.stdout.write(`${line}\n`)
process.stdout.write(`text rules: ${textRules.length} rules, ${files.size} files, ${found.length} violations\n`)
if (found.length > 0) process.exitCode = 1
