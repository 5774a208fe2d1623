/**
 * Tests that the packages work in CommonJS without flags, in Jest without its experimental support of ESM, and in every
 * supported version of TypeScript with all declarations checked.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { buildAllWorkspaces } from "../packing/Build.ts"
import { type PackedPackage, packPackages } from "../packing/Tarballs.ts"
import { repositoryRoot } from "../Repository.ts"
import { createTestProject, installNode, runProgram } from "./Installation.ts"

const place = mkdtempSync(join(tmpdir(), "languages-"))
let packed: ReadonlyArray<PackedPackage> = []

beforeAll(async () => {
  buildAllWorkspaces()
  packed = await packPackages(place)
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

const fixture = (name: string, folder: string, as = name) =>
  copyFileSync(join(repositoryRoot, "examples/languages", name), join(folder, as))

/** Creates an empty CommonJS project, like `npm init`. */
const commonJs = async (name: string, wanted: ReadonlyArray<string>, others: Readonly<Record<string, string>> = {}) => {
  const folder = join(place, name)
  createTestProject(folder, packed, wanted, others)
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...manifest, type: "commonjs" }))
  await runProgram(folder, "npm", "install")
  return folder
}

const client = "@partner-commentary/client"

it("a CommonJS module can require the client without flags, on Node 20, 22 and 24", async () => {
  const folder = await commonJs("required", [client])
  fixture("client.cjs", folder)
  for (const version of ["20.19.0", "22.19.0"]) {
    const node = await installNode(join(place, `node-${version}`), version)
    expect(await runProgram(folder, node, "--no-experimental-require-module", "client.cjs")).toBe("required\n")
  }
  expect(await runProgram(folder, process.execPath, "--no-require-module", "client.cjs")).toBe("required\n")
})

it("jest runs CommonJS and TypeScript tests of the client without jest's experimental modules", async () => {
  const folder = await commonJs("jest", [client], { jest: "30.5.2", "@swc/core": "1.16.18", "@swc/jest": "0.2.39" })
  writeFileSync(join(folder, "jest.config.json"), '{ "transform": { "\\\\.ts$": "@swc/jest" } }')
  const test = `test("a refused request rejects with an ApiError", async () => {
    const answer = { success: false, error: { code: "unauthorized", message: "No." } }
    const fetch = async () => new Response(JSON.stringify(answer), { status: 401 })
    const pc = new PartnerCommentary({ apiKey: "pk_test_a", baseUrl: "https://api.example", fetch })
    await expect(pc.personas.list()).rejects.toBeInstanceOf(ApiError)
  })\n`
  const names = "{ ApiError, PartnerCommentary }"
  writeFileSync(join(folder, "one.test.js"), `const ${names} = require("${client}")\n${test}`)
  writeFileSync(join(folder, "two.test.ts"), `import ${names} from "${client}"\n${test}`)
  const said = await runProgram(folder, process.execPath, "node_modules/jest/bin/jest.js", "--json")
  expect(JSON.parse(said)).toMatchObject({ success: true, numPassedTests: 2 })
})

describe.each(["5.7.3", "5.8.3", "5.9.3", "6.0.3", "7.0.2"])("TypeScript %s", (typescript) => {
  it("ESM and CommonJS modules compile strictly with every declaration checked, and both run on Node 22 and 24", async () => {
    const others = { typescript, "@types/node": "24.19.2" }
    const folder = await commonJs(`typescript-${typescript}`, ["partner-commentary", client], others)
    fixture("main.cts", folder)
    fixture("main.mts", folder)
    const compilerOptions = {
      target: "es2022",
      lib: ["es2023", "dom"],
      module: "nodenext",
      types: ["node"],
      strict: true
    }
    const options = { compilerOptions: { ...compilerOptions, skipLibCheck: false }, files: ["main.cts", "main.mts"] }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options))
    expect(await runProgram(folder, process.execPath, "node_modules/typescript/bin/tsc", "--project", ".")).toBe("")
    for (const node of [process.execPath, await installNode(join(place, "node-22.19.0"), "22.19.0")]) {
      for (const file of ["main.cjs", "main.mjs"]) expect(await runProgram(folder, node, file)).toBe("function 36\n")
    }
  })
})
