/** Redocly and Spectral over a description, without the network: neither errors nor warnings. Both prove that they look. */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Document } from "@partner-commentary/api/description/Document"
import { root } from "../Repository.ts"
import { plant, planted } from "./Plant.ts"

interface Linter {
  readonly name: string
  readonly arguments: (file: string) => ReadonlyArray<string>
  /** What must be said of the planted description. */
  readonly rules: ReadonlyArray<string>
}

const linters: ReadonlyArray<Linter> = [
  {
    name: "redocly",
    arguments: (file) => ["lint", file, `--config=${join(root, "redocly.yaml")}`, "--format=github-actions"],
    rules: ["no-invalid-schema-examples", "no-invalid-media-type-examples", "no-unused-components", "operation-summary"]
  },
  {
    name: "spectral",
    arguments: (file) => [
      "lint",
      file,
      `--ruleset=${join(root, ".spectral.yaml")}`,
      "--fail-severity=hint",
      "--format=text"
    ],
    rules: ["oas3-valid-media-example", "oas3-unused-component", "operation-tag-defined"]
  }
]

/** All violations at once: a linter takes a second to start. */
const violations = plant("what the linters must refuse", (draft) => {
  const create = draft.paths["/partner/v1/topics"]!["post"]!
  create.tags = ["Planted"]
  delete create.summary
  create.responses["201"]!.content!["application/json"]!.example = { success: "planted" }
  draft.components.schemas["Topic"]!.properties!["content"]!.examples = [1]
  draft.components.schemas["Planted"] = { type: "string", description: "Planted." }
})

export interface LintReport {
  readonly findings: ReadonlyArray<string>
  readonly unproven: ReadonlyArray<string>
  readonly plants: number
}

/** `ground` is what violations are planted into. */
export const lint = async (document: Document, ground: Document): Promise<LintReport> => {
  const folder = mkdtempSync(join(tmpdir(), "openapi-"))
  const write = (name: string, content: Document) => {
    const file = join(folder, `${name}.json`)
    writeFileSync(file, JSON.stringify(content, null, 2))
    return file
  }
  try {
    const clean = write("openapi", document)
    const broken = write("planted", planted(ground, violations))
    const reports = await Promise.all(
      linters.map(async (linter) => {
        const [findings, refused] = await Promise.all([complaints(linter, clean), complaints(linter, broken)])
        const unproven = linter.rules.filter((rule) => !refused.some((line) => line.includes(rule)))
        return { findings, unproven: unproven.map((rule) => `"${linter.name}" does not refuse by ${rule}`) }
      })
    )
    return {
      findings: reports.flatMap(({ findings }) => findings),
      unproven: reports.flatMap(({ unproven }) => unproven),
      plants: linters.reduce((sum, { rules }) => sum + rules.length, 0)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const complaints = ({ name, arguments: given }: Linter, file: string): Promise<ReadonlyArray<string>> =>
  new Promise((resolve) => {
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" }
    execFile(join(root, "node_modules/.bin", name), [...given(file)], { env, cwd: root }, (failure, stdout, stderr) => {
      const lines = stdout.split("\n").flatMap((line) => {
        const [, title, at, what] = /^::\w+ title=([^,]*),.*?line=(\d+).*?::(.*)$/.exec(line) ?? []
        if (what !== undefined) return `docs/openapi.json:${at} ${what.replace(/%0A.*/, "")} (${name}: ${title})`
        const [, spot, told] = /:(\d+):\d+ (?:error|warning|information|hint) (.*)$/.exec(line) ?? []
        return told === undefined ? [] : `docs/openapi.json:${spot} ${told} (${name})`
      })
      resolve(failure === null || lines.length > 0 ? lines : [`${name} failed: ${stderr || failure.message}`])
    })
  })
