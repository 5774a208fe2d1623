/**
 * Makes what the official client ships: JavaScript and its declarations in `packages/client/dist`. `npm ci` runs this, and
 * so does whatever packs it. Tests take the sources instead (vitest.workspace.ts), so that they never see an older build.
 */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const client = join(import.meta.dirname, "..", "packages", "client")
const dist = join(client, "dist")
const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc")

rmSync(dist, { recursive: true, force: true })
rmSync(join(client, "tsconfig.tsbuildinfo"), { force: true })
execFileSync(process.execPath, [compiler, "--project", client], { stdio: "inherit" })

// The compiler leaves `.ts` in the declarations' imports, which compilers of other versions refuse.
for (const name of readdirSync(dist).filter((each) => each.endsWith(".d.ts"))) {
  const text = readFileSync(join(dist, name), "utf8")
  writeFileSync(join(dist, name), text.replace(/(from "\.\/\w+|import\("\.\/\w+)\.ts"/g, '$1.js"'))
}
