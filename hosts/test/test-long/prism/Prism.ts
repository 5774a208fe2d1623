/**
 * Runs Prism as a proxy between client and server. The child process validates requests and responses against the
 * served OpenAPI document.
 */
import { spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findFreePort } from "@partner-commentary/test/postgres/FreePort"
import * as Effect from "effect/Effect"

const bin = createRequire(import.meta.url).resolve("@stoplight/prism-cli/dist/index.js")

interface Options {
  /**
   * True if Prism also validates requests, including their credentials. If `requests` is false, invalid requests reach
   * the service.
   */
  readonly requests: boolean
  /** Changes the OpenAPI document that Prism reads. */
  readonly planted?: (document: UntypedJson) => void
}

// biome-ignore lint/suspicious/noExplicitAny: tests change any part of the document
export type UntypedJson = any

/**
 * Copies the OpenAPI document for Prism. Prism rejects all calls without the credentials that the document requires. If
 * Prism must not validate requests, the copy of the document requires no credentials.
 */
const copied = Effect.fnUntraced(function* (apiRoot: string, { planted, requests }: Options) {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "prism-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  )
  const served = yield* Effect.promise(() => fetch(`${apiRoot}/openapi.json`).then((response) => response.text()))
  const document = JSON.parse(served, (key, value) => (key === "security" && !requests ? undefined : value))
  planted?.(document)
  const file = join(folder, "openapi.json")
  yield* Effect.promise(() => writeFile(file, JSON.stringify(document)))
  return file
})

/**
 * Starts a proxy in front of the service at `apiRoot` and returns the proxy's address. If a response violates the
 * OpenAPI document, Prism sends an error response in its place. The proxy stops when the scope closes.
 */
export const startPrismProxy = Effect.fnUntraced(function* (apiRoot: string, options: Options) {
  const port = yield* Effect.promise(findFreePort)
  const requests = options.requests ? [] : ["--validate-request", "false"]
  const file = yield* copied(apiRoot, options)
  const args = [bin, "proxy", file, apiRoot, "--errors", "--port", String(port), ...requests]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  const ended = new Promise<string>((resolve) => child.on("close", () => resolve(said)))
  const listening = new Promise<boolean>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        said += text
        if (said.includes("Prism is listening")) resolve(true)
      })
    }
    void ended.then(() => resolve(false))
  })
  yield* Effect.addFinalizer(() => {
    child.kill("SIGKILL")
    return Effect.promise(() => ended)
  })
  if (!(yield* Effect.promise(() => listening))) return yield* Effect.die(new Error(`Prism did not start: ${said}`))
  return `http://127.0.0.1:${port}`
})

/**
 * Returns the violations that Prism reports in its header or in its own error response. Returns undefined if there are
 * no violations.
 */
export const findPrismViolations = (headers: Headers, body: string): string | undefined => {
  const told = headers.get("sl-violations")
  if (told !== null && told !== "[]") return told
  return headers.get("content-type")?.startsWith("application/problem+json") === true ? body : undefined
}
