/**
 * Tests the examples for frameworks as users install them: from tarballs, in an empty project outside of the
 * repository, with the real framework and its own build. Each example accepts a topic and publishes the approved
 * commentary.
 */
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Story from "../../examples/test/Story.ts"
import { buildAllWorkspaces, typeScriptCompilerPath } from "../packing/Build.ts"
import { type PackedPackage, packPackages } from "../packing/Tarballs.ts"
import { repositoryRoot } from "../Repository.ts"
import { createTestProject, runProgram, testCompilerOptions } from "./Installation.ts"
import { type FrameworkTestCase, frameworkTestCases } from "./installed/Frameworks.ts"
import * as Proxied from "./installed/Proxied.ts"

const place = mkdtempSync(join(tmpdir(), "frameworks-"))
let packed: ReadonlyArray<PackedPackage> = []

beforeAll(async () => {
  buildAllWorkspaces()
  packed = await packPackages(place)
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** Some frameworks have type declarations that do not compile with every compiler option. NestJS needs decorators. */
const options = { ...testCompilerOptions, skipLibCheck: true, experimentalDecorators: true }

const write = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const installed = async (
  name: string,
  { build, edits = {}, files, further = [], own = {}, packages }: FrameworkTestCase
) => {
  const folder = join(place, name.replaceAll(/\W+/g, "-"))
  createTestProject(folder, packed, ["partner-commentary", ...further], { "@types/node": "24.19.2", ...packages })
  await runProgram(folder, "npm", "install")
  for (const [path, example] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(repositoryRoot, "examples/frameworks", example), join(folder, path))
  }
  for (const [path, [text, by]] of Object.entries(edits)) {
    write(join(folder, path), readFileSync(join(folder, path), "utf8").replace(text, by))
  }
  for (const [path, text] of Object.entries(own)) write(join(folder, path), text)
  const [command, ...parameters] = build ?? []
  if (command !== undefined) await runProgram(folder, command, ...parameters)
  else if ("src/pc.ts" in files) {
    write(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include: ["src"] }))
    expect(await runProgram(folder, process.execPath, typeScriptCompilerPath, "--project", ".")).toBe("")
  }
  return folder
}

describe.each(Object.entries(frameworkTestCases))("%s", (name, framework) => {
  it("the framework's example serves its own routes, and publishes a commentary through the mounted service", async (test) => {
    const folder = await installed(name, framework)
    const started = await Story.startExample(test, folder, framework.start, { env: { NODE_OPTIONS: "" } })
    const { url } = started
    const text = async (address: string) => (await fetch(address)).text()

    const [path, own] = framework.yours ?? ["/yours", "Your application."]
    expect(await text(new URL(path, url).href)).toContain(own)
    // If the response's header says that the body is compressed, the client decompresses the body exactly once.
    expect(JSON.parse(await text(`${url}/openapi.json`))).toHaveProperty("openapi")
    expect(await text(`${url}/docs/explorer.js`)).toContain("createApiReference")
    expect((await fetch(`${url}/healthz`, { method: "HEAD" })).status).toBe(200)
    expect(await Story.publishCommentary(test, started)).toContain("The home side.")
    if (framework.refuses !== undefined) {
      const form = { method: "POST", headers: { origin: "https://other.example" }, body: new URLSearchParams() }
      expect((await fetch(new URL(framework.refuses, url), form)).status).toBe(403)
    }
    if (framework.isProxied === true) {
      const ask = await Proxied.startNginx(test, started)
      const key = await Proxied.createKeyForAddress(test, started, "127.0.0.2")
      expect((await ask("127.0.0.2", undefined, key)).status).toBe(200)
      expect((await ask("127.0.0.2", "203.0.113.9", key)).status).toBe(200)
      expect((await ask("127.0.0.3", undefined, key)).status).toBe(401)
      expect((await ask("127.0.0.3", "127.0.0.2", key)).status).toBe(401)
      // Anonymous callers are limited by the address that nginx sees, not by a forged header.
      const invented = (number: number) => ask("127.0.0.4", `203.0.113.${number}`, "pk_live_none")
      let last = 0
      for (let number = 0; number < 200 && last !== 429; number++) last = (await invented(number)).status
      expect(last).toBe(429)
      expect((await ask("127.0.0.5", "127.0.0.4", "pk_live_none")).status).toBe(401)
    }
    if (framework.reloads !== undefined) {
      appendFileSync(join(folder, framework.reloads), "\nexport const changed = true\n")
      expect((await fetch(`${url}/readyz`)).status).toBe(200)
      expect(await text(`${url}/openapi.json`)).toContain("Partner Commentary")
    }
    expect(started.output()).not.toContain("Requests arrive below")
  })
})
