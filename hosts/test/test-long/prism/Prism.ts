/** Prism between client and server: a child process that knows the served description and lets through what agrees with it. */
import { spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"

const bin = createRequire(import.meta.url).resolve("@stoplight/prism-cli/dist/index.js")

const freePort = Effect.promise(
  () =>
    new Promise<number>((resolve, reject) => {
      const probe = createServer().on("error", reject)
      probe.listen(0, "127.0.0.1", () => {
        const address = probe.address()
        probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
      })
    })
)

/**
 * The served description in a file of its own. Prism refuses calls without credentials by itself, whatever it is told of
 * requests: where the service is to do that, the copy asks for none.
 */
const copied = Effect.fnUntraced(function* (apiRoot: string, judged: Judged) {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "prism-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  )
  const document = yield* Effect.promise(() => fetch(`${apiRoot}/openapi.json`).then((response) => response.text()))
  const withoutSecurity = (key: string, value: unknown) => (key === "security" ? undefined : value)
  const text = judged === "answers" ? JSON.stringify(JSON.parse(document, withoutSecurity)) : document
  const file = join(folder, "openapi.json")
  yield* Effect.promise(() => writeFile(file, text))
  return file
})

type Judged = "requests and answers" | "answers"

/**
 * The address of a proxy before the service at `apiRoot`. Answers that break the description become errors of the proxy's
 * own; requests do too, where they are judged. Ends with the scope.
 */
export const proxy = Effect.fnUntraced(function* (apiRoot: string, judged: Judged) {
  const port = yield* freePort
  const requests = judged === "answers" ? ["--validate-request", "false"] : []
  const file = yield* copied(apiRoot, judged)
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
