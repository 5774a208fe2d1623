/**
 * Checks that docs/openapi.json and the other files generated from it match the contract, and that nothing breaks the
 * released document. With `--write`, the script writes the files. `--release` also stores the document as the released
 * document. The file scripts/test-long/Description.test.ts tests the script's checks with planted violations.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { generateOpenApiDocument } from "@partner-commentary/api/description/Description"
import type { OpenApiDocument } from "@partner-commentary/api/description/Document"
import { PartnerApi } from "@partner-commentary/api/PartnerApi"
import { isFileCurrent } from "./Generated.ts"
import { findBreakingChanges } from "./openapi/Breakage.ts"
import { findErrorsWithoutExample } from "./openapi/ErrorExamples.ts"
import { renderErrorsPage } from "./openapi/ErrorsPage.ts"
import { renderViewHashModule } from "./openapi/ViewHashModule.ts"
import { repositoryRoot } from "./Repository.ts"

/** The default address of a service. A running service puts its own address into the document. */
const apiRoot = "http://127.0.0.1:8080"

const document = JSON.parse(JSON.stringify(generateOpenApiDocument(PartnerApi, apiRoot))) as OpenApiDocument
const text = `${JSON.stringify(document, null, 2)}\n`
const generated = {
  "docs/openapi.json": text,
  "docs/reference/errors.md": renderErrorsPage(document),
  "packages/server/src/http/ViewEdition.ts": renderViewHashModule()
}
const promise = "docs/openapi.released.json"

const say = (line: string) => process.stdout.write(`${line}\n`)
const place = (path: string) => join(repositoryRoot, path)
const read = (path: string) => JSON.parse(readFileSync(place(path), "utf8")) as OpenApiDocument

const broken = findBreakingChanges(read(promise), document)

const write = () => {
  for (const [path, content] of Object.entries(generated)) writeFileSync(place(path), content)
}

const release = () => {
  if (broken.length > 0) {
    for (const line of broken) say(`breaks ${promise}: ${line}`)
    process.exitCode = 1
    return
  }
  write()
  writeFileSync(place(promise), text)
  say(`openapi: version ${String(document.info["version"])} is the released document from now on`)
}

const check = () => {
  const drifted = Object.entries(generated)
    .filter(([path, content]) => !isFileCurrent(path, content))
    .map(([path]) => `${path} is out of date: npm run describe`)
  const findings = [
    ...drifted,
    ...broken.map((line) => `${promise}: ${line} (breaking change)`),
    ...findBreakingChanges(read("docs/openapi.json"), document).map(
      (line) => `docs/openapi.json: ${line} (breaks the committed document)`
    ),
    ...findErrorsWithoutExample(document).map((line) => `docs/openapi.json: ${line}`)
  ]
  for (const line of findings) say(line)
  const operations = Object.values(document.paths).flatMap((path) => Object.keys(path))
  say(`openapi: ${operations.length} operations, ${findings.length} findings`)
  if (findings.length > 0) process.exitCode = 1
}

if (process.argv.includes("--release")) release()
else if (process.argv.includes("--write")) write()
else check()
