/** docs/errors.md: every error code, its status, what it means and what to do, from the contract and its guide. */
import { codeOf } from "@partner-commentary/api/description/Answers"
import type { Document } from "@partner-commentary/api/description/Document"
import { type Code, guide } from "@partner-commentary/api/ErrorGuide"
import { statusOf } from "@partner-commentary/api/Errors"

export const errorsPage = ({ components, paths }: Document): string => {
  const meanings = new Map(
    Object.values(components.schemas).map((schema) => [codeOf(schema), schema.description ?? ""] as const)
  )
  const rows = (Object.keys(guide) as Array<Code>).map((code) => {
    const { advice, details } = guide[code]
    return `| \`${code}\` | ${statusOf[code]} | ${meanings.get(code) ?? ""} | ${details} | ${advice} |`
  })
  const [example] = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ responses }) => responses["400"]?.content?.["application/json"]?.examples?.["invalid_request"] ?? [])
  return `# Errors

Generated from the contract by \`npm run describe\`; edit \`packages/api/src/Errors.ts\` and \`ErrorGuide.ts\` instead.

Every error is JSON in one envelope, whatever went wrong. Decide by \`code\`: it keeps its meaning, while the words of \`message\` may change. New
codes may come; treat one that you do not know by its HTTP status. Every answer carries \`X-Request-Id\`.

\`\`\`json
${JSON.stringify(example?.value, null, 2)}
\`\`\`

| Code | Status | Meaning | Details | What to do |
|---|---|---|---|---|
${rows.join("\n")}
`
}
