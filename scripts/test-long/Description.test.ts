/** Tests that the checks of docs/openapi.json report each inserted fault, and accept compatible changes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { OpenApiDocument } from "@partner-commentary/api/description/Document"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { findBreakingChanges } from "../openapi/Breakage.ts"
import { findErrorsWithoutExample } from "../openapi/ErrorExamples.ts"
import { repositoryRoot } from "../Repository.ts"
import { breakingChanges, compatibleChanges } from "./description/Changes.ts"
import { applyDocumentMutations } from "./description/DocumentMutation.ts"
import { openApiDocumentFaults, validDocumentMutations } from "./description/Incomplete.ts"
import { type LintFinding, lintOpenApiDocument } from "./description/Lint.ts"

/**
 * The tests insert faults into the released document. The released document changes rarely, so the places of the
 * inserted faults stay valid.
 */
const released: OpenApiDocument = JSON.parse(readFileSync(join(repositoryRoot, "docs/openapi.released.json"), "utf8"))

describe("the comparison with the released document", () => {
  it.each(breakingChanges)("the comparison with the released document reports $what", (change) => {
    expect(findBreakingChanges(released, applyDocumentMutations(released, [change]))).not.toEqual([])
  })

  it.each(compatibleChanges)("the comparison with the released document accepts $what", (change) => {
    expect(findBreakingChanges(released, applyDocumentMutations(released, [change]))).toEqual([])
  })
})

describe("the linters of the OpenAPI document", () => {
  const folder = mkdtempSync(join(tmpdir(), "openapi-"))
  let findings: ReadonlyArray<LintFinding> = []
  afterAll(() => rmSync(folder, { recursive: true }))
  // Inserts all faults into one document, because starting a linter takes a second.
  beforeAll(async () => {
    const file = join(folder, "openapi.json")
    writeFileSync(
      file,
      JSON.stringify(applyDocumentMutations(released, [...openApiDocumentFaults, ...validDocumentMutations]))
    )
    findings = await lintOpenApiDocument(file)
  })

  it.each(openApiDocumentFaults)("the linters report $what by $rule", ({ at, rule }) => {
    const reported = findings.filter((one) => one.rule === rule && one.pointer.endsWith(at))
    expect(reported).not.toEqual([])
  })

  it("the linters report each error response that an operation lacks: 400, 401, 404, 429 and 500", () => {
    const messages = findings.filter(({ rule }) => rule === "operation-errors").map(({ message }) => message)
    for (const status of ["400", "401", "429", "500", "404"]) {
      expect(messages).toContainEqual(expect.stringContaining(`"${status}"`))
    }
  })

  it("the linters accept valid fields and operations that almost violate a rule", () => {
    expect(findings.filter(({ pointer }) => /properties\/(fine|secret)|v1\/fine/.test(pointer))).toEqual([])
  })
})

it("an error code without an example is reported", () => {
  const bare = applyDocumentMutations(released, [
    {
      what: "an error code without an example",
      change: ({ paths }) => {
        const { examples } = paths["/partner/v1/topics"]!["post"]!.responses["400"]!.content!["application/json"]!
        delete examples!["no_valid_personas"]
      }
    }
  ])
  expect(findErrorsWithoutExample(released)).toEqual([])
  expect(findErrorsWithoutExample(bare)).toEqual([
    "POST /partner/v1/topics 400: the error no_valid_personas has no example"
  ])
})
