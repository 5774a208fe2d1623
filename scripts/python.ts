/**
 * Checks that the generated modules of the Python client match docs/openapi.json. With `--write`, the script writes the
 * generated modules.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { OpenApiDocument } from "@partner-commentary/api/description/Document"
import { writeOrCheckFile } from "./Generated.ts"
import { renderModelsModule } from "./python/ModelsModule.ts"
import { renderPythonResourcesModule } from "./python/ResourcesModule.ts"
import { repositoryRoot } from "./Repository.ts"

const document = JSON.parse(readFileSync(join(repositoryRoot, "docs", "openapi.json"), "utf8")) as OpenApiDocument
const folder = "clients/python/src/partner_commentary"

writeOrCheckFile(`${folder}/models.py`, renderModelsModule(document))
writeOrCheckFile(`${folder}/_resources.py`, renderPythonResourcesModule(document))
