/** Calls the route modules for SvelteKit and Remix with web requests, without the frameworks. */
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import * as Mounted from "./Mounted.ts"

const root = join(import.meta.dirname, "../..")

const places = {
  "pc.ts": "src/pc.ts",
  "sveltekit/hooks.server.ts": "src/hooks.server.ts",
  "sveltekit/+server.ts": "src/routes/commentary/[...path]/+server.ts",
  "remix/pc.server.ts": "src/pc.server.ts",
  "remix/commentary.ts": "src/app/commentary.ts"
}

const program = `
const { init } = await import("./src/hooks.server.ts")
await init()
const { fallback } = await import("./src/routes/commentary/[...path]/+server.ts")
const { action, loader } = await import("./src/app/commentary.ts")
const at = (path, init) => new Request("http://127.0.0.1:3000/commentary" + path, init)
const getClientAddress = () => "203.0.113.9"
const answers = [
  await fallback({ request: at("/readyz"), getClientAddress }),
  await fallback({ request: at("/partner/v1/topics", { method: "POST" }), getClientAddress }),
  await loader({ request: at("/readyz") }),
  await action({ request: at("/partner/v1/topics", { method: "POST" }) })
]
process.stdout.write(JSON.stringify(answers.map(({ status }) => status)), () => process.exit())
`

it("SvelteKit's fallback, and Remix's loader and action, return the service's responses", async (test) => {
  const folder = Mounted.folder(test)
  for (const [example, place] of Object.entries(places)) {
    mkdirSync(dirname(join(folder, place)), { recursive: true })
    cpSync(join(root, "examples/frameworks", example), join(folder, place))
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
  writeFileSync(join(folder, "main.js"), program)
  const env = { ...process.env, NODE_OPTIONS: "", COMMENTARY_SECRET: "a secret of the tests, and long enough" }
  const { stdout } = await promisify(execFile)(process.execPath, ["main.js"], { cwd: folder, env })
  expect(JSON.parse(stdout)).toEqual([200, 401, 200, 401])
})
