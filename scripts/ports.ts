/**
 * Holds docs/ports.md to the ports of the core and the suites of the testkit, which it is made of. `--write` writes it.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { portsPage } from "./ports/PortsPage.ts"
import { readFiles, root } from "./Repository.ts"

const path = "docs/ports.md"
const place = join(root, path)
const page = portsPage(readFiles())

if (process.argv.includes("--write")) writeFileSync(place, page)
else {
  const isCurrent = existsSync(place) && readFileSync(place, "utf8") === page
  const finding = `${path} is not what the ports and their suites say: npm run describe`
  process.stdout.write(isCurrent ? `ports: ${path} is what the ports say\n` : `${finding}\n`)
  if (!isCurrent) process.exitCode = 1
}
