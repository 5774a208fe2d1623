/**
 * Checks that docs/reference/ports.md matches the ports of the core and the suites of the testkit. `--write` writes it. A port's
 * name as the argument prints its methods and guarantees.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { portsOf } from "./ports/Port.ts"
import { portDetails, portsPage } from "./ports/PortsPage.ts"
import { readFiles, root } from "./Repository.ts"

const path = "docs/reference/ports.md"
const place = join(root, path)
const files = readFiles()
const page = portsPage(files)

const check = () => {
  const isCurrent = existsSync(place) && readFileSync(place, "utf8") === page
  const finding = `${path} is not what the ports and their suites say: npm run describe`
  process.stdout.write(isCurrent ? `ports: ${path} is what the ports say\n` : `${finding}\n`)
  if (!isCurrent) process.exitCode = 1
}

const print = (name: string) => {
  const port = portsOf(files).find((one) => one.name === name)
  if (port === undefined) {
    process.stderr.write(`There is no port ${name}: ${path} lists all of them\n`)
    process.exitCode = 1
  } else process.stdout.write(portDetails(port))
}

const [argument] = process.argv.slice(2)
if (argument === undefined) check()
else if (argument === "--write") writeFileSync(place, page)
else print(argument)
