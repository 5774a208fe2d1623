/** Generates docs/reference/errors.md from the contract: each error code with its status, meaning and remedy. */
import type { OpenApiDocument } from "@partner-commentary/api/description/Document"
import { type ErrorCode, errorGuide } from "@partner-commentary/api/ErrorGuide"
import { httpStatusByErrorCode } from "@partner-commentary/api/Errors"
import { wrapText } from "../Generated.ts"

export const renderErrorsPage = ({ components, paths }: OpenApiDocument): string => {
  const meanings = new Map(
    Object.values(components.schemas).flatMap(({ description = "", properties }) =>
      properties?.["message"] === undefined ? [] : [[String(properties["code"]?.enum?.[0]), description] as const]
    )
  )
  const sections = (Object.keys(errorGuide) as Array<ErrorCode>).map((code) => {
    const { advice, details } = errorGuide[code]
    return [
      `## ${code}`,
      "",
      `Status ${httpStatusByErrorCode[code]}. ${meanings.get(code) ?? ""}`,
      "",
      ...wrapText(`- \`details\`: ${details}`, "  "),
      ...wrapText(`- **What to do.** ${advice}`, "  ")
    ].join("\n")
  })
  const [example] = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ responses }) => responses["400"]?.content?.["application/json"]?.examples?.["invalid_request"] ?? [])
  return `# Errors

Generated from the contract by \`npm run describe\`; edit \`packages/api/src/Errors.ts\` and
\`ErrorGuide.ts\` instead.

Every error is JSON in one envelope. Decide by \`code\`: its meaning is stable, while the text of
\`message\` may change. New codes may be added: handle an unknown code by its HTTP status. Every
response has \`X-Request-Id\`.

\`\`\`json
${JSON.stringify(example?.value, null, 2)}
\`\`\`

${sections.join("\n\n")}
`
}
