/**
 * Checks that docs/openapi.json and the other files generated from it match the contract, and that nothing breaks the
 * released document. With `--write`, the script writes the files. `--release` also stores the document as released.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { generateOpenApiDocument } from "@partner-commentary/api/description/Description"
import type { OpenApiDocument } from "@partner-commentary/api/description/Document"
import { PartnerApi } from "@partner-commentary/api/PartnerApi"
import { renderModelsModule } from "../clients/python/generator/ModelsModule.ts"
import { renderPythonResourcesModule } from "../clients/python/generator/ResourcesModule.ts"
import { reportFindings } from "./Findings.ts"
import { findOutdatedFiles, writeGeneratedFiles } from "./Generated.ts"
import { findBreakingChanges } from "./openapi/Breakage.ts"
import { findErrorsWithoutExample } from "./openapi/ErrorExamples.ts"
import { renderErrorsPage } from "./openapi/ErrorsPage.ts"
import { renderViewHashModule } from "./openapi/ViewHashModule.ts"
import { repositoryRoot } from "./Repository.ts"

/** The default address of a service. A running service puts its own address into the document. */
const apiRoot = "http://127.0.0.1:8080"

const document = JSON.parse(JSON.stringify(generateOpenApiDocument(PartnerApi, apiRoot))) as OpenApiDocument
const text = `${JSON.stringify(document, null, 2)}\n`
const committed = "docs/openapi.json"
const released = "docs/openapi.released.json"
const python = "clients/python/src/partner_commentary"
const generated = {
  [committed]: text,
  "docs/reference/errors.md": renderErrorsPage(document),
  "packages/server/src/http/ViewEdition.ts": renderViewHashModule(),
  [`${python}/models.py`]: renderModelsModule(document),
  [`${python}/_resources.py`]: renderPythonResourcesModule(document)
}

const findBreakingChangesOf = (path: string) =>
  findBreakingChanges(JSON.parse(readFileSync(join(repositoryRoot, path), "utf8")), document).map(
    (line) => `${path}: ${line} (breaking change)`
  )

const summary = `openapi: version ${document.info["version"]}, ${Object.values(document.paths).flatMap(Object.keys).length} operations`

if (process.argv.includes("--release")) {
  const broken = findBreakingChangesOf(released)
  if (broken.length === 0) writeGeneratedFiles({ ...generated, [released]: text })
  reportFindings(`${summary}, released`, broken)
} else if (process.argv.includes("--write")) writeGeneratedFiles(generated)
else {
  reportFindings(summary, [
    ...findOutdatedFiles(generated),
    ...findBreakingChangesOf(released),
    ...findBreakingChangesOf(committed),
    ...findErrorsWithoutExample(document).map((line) => `${committed}: ${line}`)
  ])
}
