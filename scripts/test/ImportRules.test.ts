/**
 * Plants a violation of each import rule in a small copy of the repository. dependency-cruiser must report each
 * violation.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { cruise, type ICruiseResult } from "dependency-cruiser"
import { afterAll, describe, expect, it } from "vitest"
import config from "../../.dependency-cruiser.ts"

const root = join(import.meta.dirname, "..", "..")

/**
 * Each entry has a folder, the content of a planted file, and the rule that must report the file. The rule is null if
 * no rule may report the file.
 */
const plants: ReadonlyArray<readonly [folder: string, text: string, rule: string | null]> = [
  ["packages/core/src", 'import "effect/http/HttpRouter"', "packages/core: effect"],
  ["packages/core/src", 'import "effect/sql/SqlClient"', "packages/core: effect"],
  ["packages/core/src", 'import "effect/cli/Command"', "packages/core: effect"],
  ["packages/core/src", 'import "node:crypto"', "packages/core: packages"],
  ["packages/core/src", 'import type { Server } from "node:http"\nexport type A = Server', "packages/core: packages"],
  ["packages/core/src", 'export { createServer } from "node:http"', "packages/core: packages"],
  ["packages/core/src", 'export const http = () => import("node:http")', "packages/core: packages"],
  ["packages/core/src", 'import "fs"', "packages/core: packages"],
  ["packages/core/src", 'export type * as http from "node:http"', "packages/core: packages"],
  ["packages/core/src", 'import "nodemailer"', "packages/core: packages"],
  ["packages/core/src", 'import "effect/http-api/HttpApi"', "packages/core: effect"],
  ["packages/core/src", 'import "effect/testing/TestClock"', "packages/core: effect"],
  ["packages/core/src", 'import "effect/ai/Tool"', "packages/core: effect"],
  ["packages/core/src", 'import "@partner-commentary/core/Core"', "workspaces-do-not-import-themselves-by-name"],
  ["packages/core/src", 'import "@partner-commentary/settings/Settings"', "packages/core: workspaces"],
  ["packages/core/src", 'import "@partner-commentary/api/PartnerApi"', "packages/core: workspaces"],
  ["packages/core/src", 'import "@partner-commentary/sql/Stores"', "packages/core: workspaces"],
  ["packages/api/src", 'import "node:crypto"', "packages/api: packages"],
  ["packages/api/src", 'import "effect/sql/SqlClient"', "packages/api: effect"],
  ["packages/api/src", 'import "@partner-commentary/server/Imported"', "packages/api: workspaces"],
  ["packages/server/src", 'import "node:http"', "packages/server: packages"],
  ["packages/server/src", 'import "@partner-commentary/sql/Stores"', "packages/server: workspaces"],
  ["packages/server/src", 'import "@partner-commentary/node/main"', "resolvable"],
  ["packages/server/src", 'import "@partner-commentary/client"', "packages/server: workspaces"],
  ["packages/server/src", 'import "@effect/platform-node/NodeHttpServer"', "packages/server: packages"],
  ["packages/sql/src", 'import "node:sqlite"', "packages/sql: packages"],
  ["packages/sql/src", 'import "@partner-commentary/api/PartnerApi"', "packages/sql: workspaces"],
  ["packages/sql/src", 'import "effect/http/HttpRouter"', "packages/sql: effect"],
  ["packages/sql/src", 'import "@partner-commentary/sqlite/Sqlite"', "packages/sql: workspaces"],
  ["packages/client/src", 'import "effect/Effect"', "packages/client: effect"],
  ["packages/client/src", 'import "effect/http/HttpRouter"', "packages/client: effect"],
  ["packages/client/src", 'import "@partner-commentary/core/Core"', "packages/client: workspaces"],
  ["packages/client/src", 'import "@partner-commentary/client"', "workspaces-do-not-import-themselves-by-name"],
  ["packages/client/src", 'import "standardwebhooks"', "packages/client: packages"],
  ["packages/client/src", 'import "node:crypto"', "packages/client: packages"],
  ["packages/client/src/cli", 'import "node:util"', null],
  ["packages/client/src/cli", 'import "standardwebhooks"', "packages/client/src/cli: packages"],
  ["packages/client/src/cli", 'import "@partner-commentary/core/Core"', "packages/client/src/cli: workspaces"],
  ["packages/client/src/cli", 'import "effect/Effect"', "packages/client/src/cli: effect"],
  [
    "packages/client/src",
    'import type { A } from "@partner-commentary/api/PartnerApi"\nexport type B = A',
    "packages/client: workspaces"
  ],
  ["packages/server/src", 'import "effect/cli/Command"', "packages/server: effect"],
  [
    "packages/partner-commentary/src",
    'import "@partner-commentary/settings/Settings"',
    "packages/partner-commentary: workspaces"
  ],
  ["packages/partner-commentary/src", 'import "node:fs"', "packages/partner-commentary: packages"],
  ["packages/partner-commentary/src", 'import "effect/cli/Command"', "packages/partner-commentary: effect"],
  ["packages/settings/src", 'import "@partner-commentary/server/Imported"', "packages/settings: workspaces"],
  ["packages/settings/src", 'import "effect/sql/SqlClient"', "packages/settings: effect"],
  ["packages/settings/src", 'import "node:process"', "packages/settings: packages"],
  ["packages/testkit/src", 'import "node:fs"', "packages/testkit: packages"],
  ["packages/testkit/src", 'import "effect/cli/Command"', "packages/testkit: effect"],
  ["packages/testkit/src", 'import "@partner-commentary/sqlite/Sqlite"', "packages/testkit: workspaces"],
  ["adapters/smtp/src", 'import "@partner-commentary/sql/Stores"', "adapters/(?!sqlite/|postgres/)[^/]+: workspaces"],
  ["adapters/smtp/src", 'import "effect/sql/SqlClient"', "adapters/(?!sqlite/|postgres/)[^/]+: effect"],
  [
    "adapters/smtp/src",
    'import "@partner-commentary/generator/LocalGenerator"',
    "adapters/(?!sqlite/|postgres/)[^/]+: workspaces"
  ],
  [
    "adapters/smtp/src",
    'import "@partner-commentary/settings/Settings"',
    "adapters/(?!sqlite/|postgres/)[^/]+: workspaces"
  ],
  ["adapters/smtp/src", 'import "fast-check"', "declared-dependencies"],
  ["adapters/smtp/src", 'import type Mail from "@planted/mail/deep"\nexport type A = Mail', "resolvable"],
  ["hosts/node/bin", 'import "@planted/bin"', "resolvable"],
  ["adapters/sqlite/src", 'import "@partner-commentary/api/PartnerApi"', "adapters/(?:sqlite|postgres): workspaces"],
  ["adapters/sqlite/src", 'import "effect/cli/Command"', "adapters/(?:sqlite|postgres): effect"],
  ["hosts/node/src", 'import "@partner-commentary/test/Harness"', "hosts/[^/]+: workspaces"],
  ["hosts/node/src", 'import "@partner-commentary/test/Harness"', "test-host-in-tests-and-examples-only"],
  ["hosts/node/bin", 'import "@partner-commentary/test/Harness"', "test-host-in-tests-and-examples-only"],
  ["packages/server/src", 'import "@partner-commentary/test/Harness"', "test-host-in-tests-and-examples-only"],
  ["bench", 'import "@partner-commentary/test/Harness"', "benches-take-only-postgres-of-the-test-host"],
  ["hosts/test/src", 'import "@partner-commentary/node/main"', "resolvable"],
  ["hosts/node/src", 'export * from "effect/index"', "resolvable"],
  ["hosts/node/src", 'import * as core from "effect/internal/core"\nexport const a = core', "resolvable"],
  ["hosts/node/src", 'import { Effect } from "effect"\nexport const a = Effect', "effect-by-deep-paths"],
  ["packages/core/src", 'import * as Sql from "effect/sql"\nexport const a = Sql', "effect-by-deep-paths"],
  ["packages/server/src", 'import "effect/schema/SchemaJITCompiler/enable"', "schema-compiler-in-entry-points-only"],
  ["adapters/sqlite/src", 'import "effect/schema/SchemaJITCompiler/enable"', "schema-compiler-in-entry-points-only"],
  ["hosts/node/src", 'import "effect/schema/SchemaJITCompiler/enable"', "schema-compiler-in-entry-points-only"],
  [
    "packages/api/src/nested",
    'export type { Core } from "../../../core/src/Core.ts"',
    "relative-imports-stay-in-their-workspace"
  ],
  ["hosts/node/src", 'import "/packages/core/src/Core.ts"', "resolvable"],
  ["packages/api/src", 'import "../../core/src/Core.ts"', "relative-imports-stay-in-their-workspace"],
  ["packages/planted/src", 'import "effect/Effect"', "no-unknown-workspace"],
  ["packages/core/src", 'import * as Self from "./SELF"\nexport const a = () => Self', "no-circular"],
  ["packages/core/src", 'import "effect/Effect"\nimport "effect/crypto/Digest"', null],
  ["packages/core/src", '// import "node:fs"\nexport const text = `import "node:fs"`', null],
  ["packages/core/src", 'import type * as Self from "./SELF"\nexport type A = typeof Self', null],
  ["packages/sql/src", 'import "effect/sql/SqlClient"\nimport "@partner-commentary/core/Core"', null],
  ["packages/testkit/src", 'import "@effect/vitest"', null],
  ["adapters/sqlite/src", 'import "node:sqlite"\nimport "@partner-commentary/sql/Stores"', null],
  ["adapters/smtp/src", 'import "nodemailer"', null],
  ["hosts/test/src", 'import "effect/testing/TestClock"', null]
]

const hierarchy = "core-folders-form-a-hierarchy"

const copy = mkdtempSync(join(tmpdir(), "import-rules-"))
afterAll(() => rmSync(copy, { recursive: true }))

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(copy, path)), { recursive: true })
  writeFileSync(join(copy, path), text)
}

/** Writes an empty module for each package that the planted files import. */
const writePackages = () => {
  cpSync(join(root, "node_modules/effect/package.json"), join(copy, "node_modules/effect/package.json"))
  for (const path of ["index", "sql/index"]) write(`node_modules/effect/dist/${path}.js`, "export {}")
  for (const [, text] of plants) {
    for (const [, specifier = ""] of text.matchAll(/"(effect\/[^"]+|nodemailer|fast-check|@effect\/vitest)"/g)) {
      if (specifier.startsWith("effect/")) write(`node_modules/${specifier.replace("/", "/dist/")}.js`, "export {}")
      else {
        write(`node_modules/${specifier}/package.json`, `{ "name": "${specifier}", "main": "index.js" }`)
        write(`node_modules/${specifier}/index.js`, "module.exports = {}")
      }
    }
  }
}

const writeWorkspaces = () => {
  mkdirSync(join(copy, "node_modules/@partner-commentary"), { recursive: true })
  for (const group of ["packages", "adapters", "hosts"]) {
    for (const name of readdirSync(join(root, group))) {
      cpSync(join(root, group, name, "package.json"), join(copy, group, name, "package.json"))
      symlinkSync(join("..", "..", group, name), join(copy, "node_modules/@partner-commentary", name))
    }
  }
  const imported = ["packages/core/src/Core", "packages/api/src/PartnerApi", "packages/sql/src/Stores"]
  const more = ["packages/server/src/Imported", "packages/settings/src/Settings", "hosts/test/src/Harness"]
  const adapters = ["adapters/sqlite/src/Sqlite", "adapters/generator/src/LocalGenerator"]
  const client = ["packages/client/src/PartnerCommentary"]
  for (const path of [...imported, ...more, ...adapters, ...client]) write(`${path}.ts`, "export {}\n")
}

const fileOf = (folder: string, at: number) => `${folder}/Planted${at}.ts`

const reported = async (): Promise<ReadonlyArray<string>> => {
  const before = process.cwd()
  process.chdir(copy)
  try {
    const { output } = await cruise(["packages", "adapters", "hosts", "bench"], {
      ...config.options,
      ruleSet: { forbidden: config.forbidden },
      validate: true
    })
    const { summary } = output as ICruiseResult
    return summary.violations.map(({ from, rule }) => `${from}: ${rule.name}`)
  } finally {
    process.chdir(before)
  }
}

/**
 * Writes an import cycle between three folders. The rule `core-folders-form-a-hierarchy` reports each folder of the
 * cycle, not its files.
 */
const writeCycleOfFolders = () => {
  write("packages/core/src/one/A.ts", 'import type { B } from "../two/B.ts"\nexport type A = B\n')
  write("packages/core/src/one/E.ts", "export type E = 1\n")
  write("packages/core/src/two/B.ts", 'import { c } from "../three/C.ts"\nexport type B = typeof c\n')
  write("packages/core/src/three/C.ts", 'import type { E } from "../one/E.ts"\nexport const c: E = 1\n')
  write("packages/core/src/four/D.ts", 'import type { B } from "../two/B.ts"\nexport type D = B\n')
}

describe("the repository's import rules", async () => {
  writePackages()
  writeWorkspaces()
  writeCycleOfFolders()
  for (const [at, [folder, text]] of plants.entries()) {
    write(fileOf(folder, at), `${text.replace("SELF", `Planted${at}.ts`)}\n`)
  }
  const violations = await reported()

  it.each(plants.map((plant, at) => [...plant, at] as const))("%s: %s → %s", (folder, _, rule, at) => {
    const file = fileOf(folder, at)
    const found = violations.filter((line) => line.startsWith(`${file}: `))
    if (rule === null) expect(found).toEqual([])
    else expect(found).toContain(`${file}: ${rule}`)
  })

  it("import rules report folders of the core in an import cycle, but no folder that is outside of the cycle", () => {
    const found = violations.filter((line) => line.endsWith(`: ${hierarchy}`))
    expect(found.toSorted()).toEqual(["one", "three", "two"].map((name) => `packages/core/src/${name}: ${hierarchy}`))
  })

  it("each import rule is tested by a planted violation", () => {
    const unproven = config.forbidden
      .map(({ name }) => name)
      .filter((name) => name !== hierarchy)
      .filter((name) => !plants.some(([, , rule]) => rule === name))
    expect(unproven).toEqual([])
  })
})
