/**
 * Installs the packed package in an empty project outside of the repository, without a network. Partners install the
 * packed file from the npm registry.
 */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, it } from "vitest"
import { typeScriptCompilerPath } from "../../../scripts/packing/Build.ts"
import { packPackages } from "../../../scripts/packing/Tarballs.ts"

const root = join(import.meta.dirname, "..", "..", "..")
const dependencies = join(root, "node_modules")
const place = mkdtempSync(join(tmpdir(), "client-package-"))
const project = join(place, "project")

afterAll(() => rmSync(place, { recursive: true, force: true }))

/** Removes the variables that npm sets for scripts, because these variables must not affect the installation. */
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_OPTIONS)/i.test(name))),
  npm_config_cache: join(place, "cache"),
  npm_config_offline: "true",
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_update_notifier: "false"
}

/** Resolves with the output of the command. Rejects with the command's output if the command fails. */
const run = async (cwd: string, command: string, ...parameters: ReadonlyArray<string>): Promise<string> => {
  try {
    return (await promisify(execFile)(command, parameters, { cwd, env: environment })).stdout
  } catch (error) {
    const { stderr, stdout } = error as { readonly stdout: string; readonly stderr: string }
    throw new Error(`${command} ${parameters.join(" ")} failed:\n${stdout}${stderr}`)
  }
}

const write = (name: string, text: string) => writeFileSync(join(project, name), text)

const consumer = `
import { ApiError, PartnerCommentary, PartnerCommentaryDashboard, verifyWebhook } from "@partner-commentary/client"
import type { ResponseInfo, TopicDetail, WebhookEvent } from "@partner-commentary/client"

const seen: Array<ResponseInfo> = []
const client = new PartnerCommentary({ apiKey: "pk_test_a", baseUrl: "https://api.example", onResponse: (each) => seen.push(each) })
export const dashboardClient = new PartnerCommentaryDashboard({ token: async () => "a.b.c", baseUrl: "https://api.example" })

export const submitAndWait = async (): Promise<TopicDetail> => {
  const { topic_id, results } = await client.topics.create({ content: "Who wins the derby?", persona_ids: ["a"] })
  for await (const topic of client.topics.list({ status: "completed" })) console.log(topic.content, results.length)
  return client.topics.waitFor(topic_id, { signal: AbortSignal.timeout(1000) })
}

export const findUnlicensedPersonaId = (error: unknown): string | undefined =>
  error instanceof ApiError && error.code === "not_licensed" ? error.details.persona_id : undefined

export const readWebhookContent = async (request: Request): Promise<string> => {
  const event: WebhookEvent = await verifyWebhook(await request.text(), request.headers, ["a", "b"])
  return event.type === "creator.approved" ? event.data.commentary.content : event.id
}

// @ts-expect-error the content must be a string
client.topics.create({ content: 1 })
`

const plain = `
import { PartnerCommentary, PartnerCommentaryError } from "@partner-commentary/client"
const fetch = async () => Response.json({ success: true, data: { topic_id: "t" } })
const client = new PartnerCommentary({ apiKey: "pk_test_a", baseUrl: "https://api.example", fetch })
const { topic_id } = await client.topics.create({ content: "Who wins the derby?", persona_ids: ["a"] })
console.log(topic_id, new PartnerCommentaryError("a") instanceof Error)
`

beforeAll(async () => {
  await run(root, process.execPath, typeScriptCompilerPath, "--build", "packages/client/tsconfig.cli.json")
  const [packed] = await packPackages(place, { only: "packages/client" })
  mkdirSync(project)
  write("package.json", JSON.stringify({ name: "project", version: "1.0.0", private: true }))
  await run(project, "npm", "install", packed?.tarball ?? "nothing was packed")
})

it("the package installs offline without dependencies, and contains JavaScript and declarations but no TypeScript sources", () => {
  const installed = join(project, "node_modules", "@partner-commentary", "client")
  expect(readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
    "@partner-commentary"
  ])
  const files = readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name.replace(/^\w+(?=\.(cjs|d\.cts|d\.ts|js|js\.map)$)/, "*"))
  expect([...new Set(files)].sort()).toEqual([
    "*.cjs",
    "*.d.cts",
    "*.d.ts",
    "*.js",
    "*.js.map",
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "package.json"
  ])
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))
  expect(manifest).toMatchObject({ bin: { "partner-commentary-client": "dist/cli/main.js" } })
  expect(manifest).toMatchObject({ type: "module", sideEffects: false, engines: { node: ">=20" } })
})

it("plain JavaScript can import and require the package", async () => {
  write("plain.mjs", plain)
  expect(await run(project, process.execPath, "plain.mjs")).toBe("t true\n")
  write("plain.cjs", 'console.log(typeof require("@partner-commentary/client").verifyWebhook)')
  expect(await run(project, process.execPath, "plain.cjs")).toBe("function\n")
})

it("npx runs the command line of the package", async () => {
  expect(await run(project, "npx", "@partner-commentary/client", "listen", "--help")).toContain("--forward-to URL")
  await expect(run(project, "npx", "@partner-commentary/client", "listen")).rejects.toThrow("--forward-to is missing.")
})

const node = ["--types", "node", "--typeRoots", join(dependencies, "@types")]
const browser = ["--types", ""]

it.each([
  ["nodenext", "es2022,dom", browser],
  ["bundler", "es2022,dom", browser],
  ["nodenext", "es2022", node],
  ["bundler", "es2024", node]
])(
  "a program and the package's declarations compile in strict mode with moduleResolution %s and lib %s",
  async (resolution, lib, types) => {
    write("consumer.mts", consumer)
    const module = resolution === "bundler" ? "esnext" : "nodenext"
    const compiler = join(dependencies, "typescript", "bin", "tsc")
    const strict = ["--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false", "--noEmit"]
    const options = ["--target", "es2022", "--module", module, "--moduleResolution", resolution, "--lib", lib, ...types]
    expect(await run(project, process.execPath, compiler, ...strict, ...options, "consumer.mts")).toBe("")
  }
)
