/** Runs Redocly and Spectral on an OpenAPI document. The linters' rules are in redocly.yaml and .spectral.yaml. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { repositoryRoot } from "../../Repository.ts"

export interface LintFinding {
  readonly rule: string
  /** A JSON pointer in which slashes within a key are not escaped as `~1`. */
  readonly pointer: string
  readonly message: string
}

/** Both linters exit with an error code when they report findings. Only a report on stdout proves that a linter ran. */
const report = (name: string, given: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
    const options = { env, cwd: repositoryRoot, maxBuffer: 1 << 26 }
    execFile(join(repositoryRoot, "node_modules/.bin", name), given, options, (_, stdout, stderr) =>
      stdout.trimStart().match(/^[[{]/) ? resolve(stdout) : reject(new Error(`${name} failed: ${stderr}`))
    )
  })

const redocly = async (file: string): Promise<ReadonlyArray<LintFinding>> => {
  const { problems } = JSON.parse(await report("redocly", ["lint", file, "--config=redocly.yaml", "--format=json"]))
  return problems.map((one: { ruleId: string; message: string; location: ReadonlyArray<{ pointer: string }> }) => ({
    rule: one.ruleId,
    pointer: one.location[0]?.pointer.replaceAll("~1", "/"),
    message: one.message
  }))
}

const spectral = async (file: string): Promise<ReadonlyArray<LintFinding>> => {
  const options = ["--ruleset=.spectral.yaml", "--fail-severity=hint", "--format=json", "--quiet"]
  const results = JSON.parse(await report("spectral", ["lint", file, ...options]))
  return results.map((one: { code: string; message: string; path: ReadonlyArray<string> }) => ({
    rule: one.code,
    pointer: `#/${one.path.join("/")}`,
    message: one.message
  }))
}

export const lintOpenApiDocument = async (file: string): Promise<ReadonlyArray<LintFinding>> =>
  (await Promise.all([redocly(file), spectral(file)])).flat()
