/**
 * `node bench/install.ts` measures what an installation for embedding adds to an application: packages, megabytes, and
 * the start of the service in a new process. The parameters are names of other npm packages that the benchmark measures
 * for comparison.
 */
import { execFile } from "node:child_process"
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { packPackages } from "../scripts/packing/Tarballs.ts"

const starts = 9
const run = promisify(execFile)
const place = mkdtempSync(join(tmpdir(), "bench-install-"))
const print = (line: string) => process.stdout.write(`${line}\n`)

const sizeOf = (path: string): number =>
  lstatSync(path).isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
    : lstatSync(path).size

interface Project {
  readonly dependencies: Readonly<Record<string, string>>
  readonly overrides?: Readonly<Record<string, string>>
}

const installed = async (name: string, project: Project) => {
  const folder = join(place, name.replaceAll("/", "-"))
  mkdirSync(folder)
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", ...project }))
  await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: folder })
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"))
  const size = sizeOf(join(folder, "node_modules"))
  print(`${name}: ${Object.keys(packages).length - 1} packages, ${(size / 1e6).toFixed(1)} MB`)
  return folder
}

/** Opens an existing database and starts the workers. */
const first = `
const before = process.cpuUsage()
const { partnerCommentary } = await import("partner-commentary")
const { sqlite } = await import("partner-commentary/sqlite")
const imported = performance.now()
const secret = "a secret of the bench, and long enough"
const pc = partnerCommentary({ url: "http://127.0.0.1:3000", secret, database: sqlite("commentary.db") })
await pc.start()
const started = performance.now()
const { system, user } = process.cpuUsage(before)
const resident = process.memoryUsage.rss() / 1e6
console.log(JSON.stringify({ imported, started, processor: (system + user) / 1000, resident }))
process.exit()
`

type Start = Readonly<Record<"imported" | "started" | "processor" | "resident", number>>

const start = async (cwd: string): Promise<Start> =>
  JSON.parse((await run(process.execPath, ["--input-type=module", "--eval", first], { cwd })).stdout)

const median = (values: ReadonlyArray<number>) =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN

const main = async () => {
  const packed = await packPackages(place)
  const tarballs = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const of = (...names: ReadonlyArray<string>) => ({
    dependencies: Object.fromEntries(names.map((name) => [name, tarballs[name] ?? ""])),
    overrides: tarballs
  })
  const folder = await installed("partner-commentary", of("partner-commentary"))
  await installed("with-postgres", of("partner-commentary", "@partner-commentary/postgres"))
  for (const name of process.argv.slice(2)) await installed(name, { dependencies: { [name]: "latest" } })
  await start(folder)
  const all: Array<Start> = []
  for (let count = 0; count < starts; count++) all.push(await start(folder))
  const figure = (name: keyof Start) => median(all.map((one) => one[name])).toFixed(0)
  print(`Start, median of ${starts}: imported after ${figure("imported")} ms, started after ${figure("started")} ms,`)
  print(`  ${figure("processor")} ms of processor time, ${figure("resident")} MB resident`)
}

await main().finally(() => rmSync(place, { recursive: true, force: true }))
