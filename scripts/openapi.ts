/**
 * Holds docs/openapi.json and docs/reference/errors.md to the contract that serves: no drift, complete, clean for the linters, and
 * nothing broken of what was released. `--write` writes both; `--release` also makes it the promise that must not break.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe } from "@partner-commentary/api/description/Description"
import type { Document } from "@partner-commentary/api/description/Document"
import { PartnerApi } from "@partner-commentary/api/PartnerApi"
import { breakage, breaks } from "./openapi/Breakage.ts"
import { completeness } from "./openapi/Completeness.ts"
import { errorsPage } from "./openapi/ErrorsPage.ts"
import { lint } from "./openapi/Lint.ts"
import { proveRule } from "./openapi/Plant.ts"
import { root } from "./Repository.ts"

/** Where the service stands by default. What is served names its own address instead. */
const apiRoot = "http://127.0.0.1:8080"

const document = JSON.parse(JSON.stringify(describe(PartnerApi, apiRoot))) as Document
const text = `${JSON.stringify(document, null, 2)}\n`
const generated = { "docs/openapi.json": text, "docs/reference/errors.md": errorsPage(document) }
const promise = "docs/openapi.released.json"

const say = (line: string) => process.stdout.write(`${line}\n`)
const place = (path: string) => join(root, path)
const read = (path: string): Document | null =>
  existsSync(place(path)) ? (JSON.parse(readFileSync(place(path), "utf8")) as Document) : null

const released = read(promise)
const broken =
  released === null ? [`${promise} is missing: node scripts/openapi.ts --release`] : breaks(released, document)

const write = () => {
  for (const [path, content] of Object.entries(generated)) writeFileSync(place(path), content)
}

const release = () => {
  if (released !== null && broken.length > 0) {
    for (const line of broken) say(`breaks ${promise}: ${line}`)
    process.exitCode = 1
    return
  }
  write()
  writeFileSync(place(promise), text)
  say(`openapi: version ${String(document.info["version"])} is what must not break from now on`)
}

const check = async () => {
  const drifted = Object.entries(generated)
    .filter(([path, content]) => !existsSync(place(path)) || readFileSync(place(path), "utf8") !== content)
    .map(([path]) => path)
  const committed = drifted.includes("docs/openapi.json") ? read("docs/openapi.json") : null
  // What was released stands still: the plants find their places there, whatever became of the contract.
  const ground = released ?? document
  const rules = [...completeness, breakage(ground)]
  const { findings: complaints, plants, unproven } = await lint(document, ground)
  const findings = new Set([
    ...drifted.map((path) => `${path} is not what the contract says: npm run describe (no drift)`),
    ...broken.map((line) => `${promise}: ${line} (nothing that was released breaks)`),
    ...(committed === null
      ? []
      : breaks(committed, document).map((line) => `docs/openapi.json: ${line} (breaks what is committed)`)),
    ...completeness.flatMap(({ find, name }) => find(document).map((line) => `docs/openapi.json: ${line} (${name})`)),
    ...complaints
  ])
  const vacuous = [...rules.flatMap((rule) => proveRule(rule, ground)), ...unproven]
  for (const line of vacuous) say(`openapi: a rule does not hold: ${line}`)
  for (const line of findings) say(line)
  const violations = rules.reduce((sum, rule) => sum + rule.refuses.length, plants)
  const operations = Object.values(document.paths).reduce((sum, path) => sum + Object.keys(path).length, 0)
  say(
    `openapi: ${operations} operations, ${rules.length} rules and 2 linters, ${violations} planted violations, ${findings.size} findings`
  )
  if (vacuous.length + findings.size > 0) process.exitCode = 1
}

if (process.argv.includes("--release")) release()
else if (process.argv.includes("--write")) write()
else await check()
