/** Prints each violation of a text rule, and fails if there is a violation. */
import { reportFindings } from "./Findings.ts"
import { readRepositoryFiles } from "./Repository.ts"
import { findTextRuleViolations, textRules } from "./TextRules.ts"

const files = readRepositoryFiles()
reportFindings(`text rules: ${textRules.length} rules, ${files.size} files`, findTextRuleViolations(files))
