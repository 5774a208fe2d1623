/**
 * Tests clients that common code generators make from docs/openapi.json. The generated clients must compile in strict
 * mode, and they call every operation of a running service.
 */
import { execFile } from "node:child_process"
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { build } from "esbuild"
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest"
import * as Process from "../../test/support/Process.ts"
import { calledOperations, renderHeyApiCalls, renderOpenapiFetchCalls } from "./Story.ts"

const openapi = new URL("../../../../docs/openapi.json", import.meta.url)

/**
 * The generators need a TypeScript version with a compiler API, so the test installs the generators in a separate
 * folder.
 */
const dependencies = {
  "@hey-api/openapi-ts": "0.99.0",
  "openapi-fetch": "0.17.0",
  "openapi-typescript": "7.13.0",
  typescript: "5.9.3"
}

const compilerOptions = {
  strict: true,
  target: "es2023",
  module: "esnext",
  moduleResolution: "bundler",
  lib: ["es2023", "dom", "dom.iterable"],
  types: [],
  noEmit: true
}

const folder = mkdtempSync(join(tmpdir(), "generated-clients-"))

const run = async (command: string, ...parameters: ReadonlyArray<string>) => {
  const at = command === "npm" ? command : join(folder, "node_modules", ".bin", command)
  await promisify(execFile)(at, parameters, { cwd: folder }).catch(({ stderr, stdout }) => {
    throw new Error(`${command} failed:\n${stdout}${stderr}`)
  })
}

beforeAll(async () => {
  copyFileSync(openapi, join(folder, "openapi.json"))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }))
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts", "client/**/*.ts"] }))
  writeFileSync(join(folder, "fetch.ts"), renderOpenapiFetchCalls)
  writeFileSync(join(folder, "hey.ts"), renderHeyApiCalls)
  await run("npm", "install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error")
  await run("openapi-typescript", "openapi.json", "-o", "schema.d.ts")
  await run("openapi-ts", "-i", "openapi.json", "-o", "client")
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it("the generated calls cover every operation of the OpenAPI document by method and path", () => {
  const { paths } = JSON.parse(readFileSync(openapi, "utf8"))
  const described = Object.entries<Record<string, { readonly operationId: string }>>(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, { operationId }]) => `${operationId} ${verb.toUpperCase()} ${path}`)
  )
  expect(calledOperations.toSorted()).toEqual(described.toSorted())
})

it("the generated clients and their calls compile in strict mode", () => run("tsc", "-p", "."))

/** Starts a service with a test key, a dashboard token, and a webhook receiver that answers with status 200. */
const served = async (test: TestContext) => {
  const receiver = createServer((request, response) => void request.resume().on("end", () => response.end()))
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  test.onTestFinished(() => void receiver.close().closeAllConnections())
  const cwd = await Process.makeWorkingFolder(test)
  const { apiRoot } = await Process.startServiceProcess(cwd, ["serve"], { WEBHOOK_ALLOW_PRIVATE: "true" })
  const organization = await Process.runJsonCommand(cwd, ["org", "create", "--name", "Courtside"])
  const scopes = "personas:read,topics:submit,topics:read,usage:read"
  const words = ["--org", organization.id, "--name", "story", "--scopes", scopes, "--environment", "test"]
  const { full_key } = await Process.runJsonCommand(cwd, ["key", "create", ...words])
  const { token } = await Process.runJsonCommand(cwd, ["token", "create", "--org", organization.id])
  const { port } = receiver.address() as AddressInfo
  return { API_ROOT: apiRoot, API_KEY: full_key, TOKEN: token, RECEIVER: `http://127.0.0.1:${port}/` }
}

describe("the generated clients succeed with the smallest valid request of each operation", () => {
  for (const [name, file] of [
    ["openapi-typescript with openapi-fetch", "fetch"],
    ["@hey-api/openapi-ts", "hey"]
  ] as const) {
    it(name, async (test) => {
      const outfile = join(folder, `${file}.mjs`)
      await build({ entryPoints: [join(folder, `${file}.ts`)], outfile, bundle: true, format: "esm", platform: "node" })
      await promisify(execFile)(process.execPath, [outfile], { env: await served(test), timeout: 120_000 })
    })
  }
})
