/** Prism between client and server: a child process that knows the served description and lets through what agrees with it. */
import { spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "@partner-commentary/test/postgres/FreePort"
import * as Effect from "effect/Effect"

const bin = createRequire(import.meta.url).resolve("@stoplight/prism-cli/dist/index.js")

interface Options {
  /** Requests are judged too, their credentials included; else the service is to refuse what is wrong with them. */
  readonly requests: boolean
  /** A change of the description that Prism is given. */
  readonly planted?: (document: Untyped) => void
}

// biome-ignore lint/suspicious/noExplicitAny: a document that tests change at will
export type Untyped = any

/** Prism refuses calls without credentials by itself, whatever it is told of requests: where it shall not, its copy asks for none. */
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
 * The address of a proxy before the service at `apiRoot`. Answers that break the served description become errors of the
 * proxy's own. Ends with the scope.
 */
export const proxy = Effect.fnUntraced(function* (apiRoot: string, options: Options) {
  const port = yield* Effect.promise(freePort)
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

/** What Prism found wrong with an exchange, by its header or by an answer of its own; none when all is right. */
export const violations = (headers: Headers, body: string): string | undefined => {
  const told = headers.get("sl-violations")
  if (told !== null && told !== "[]") return told
  return headers.get("content-type")?.startsWith("application/problem+json") === true ? body : undefined
}
