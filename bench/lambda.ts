/**
 * Measures the Lambda host: the bundle's size, and a new container's time from the import to the first response. Each
 * start is a separate process on an existing database. Run the benchmark on a quiet machine.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import * as Machine from "./Machine.ts"
import * as Servers from "./Servers.ts"

const starts = 15
const aims = { size: 1e6, start: 200 }
const run = promisify(execFile)
const print = (line = "") => process.stdout.write(`${line}\n`)
const folder = mkdtempSync(join(tmpdir(), "bench-lambda-"))
const bundle = join(folder, "bundle")

const env = {
  PATH: process.env["PATH"],
  DATABASE_URL: `sqlite:${join(folder, "bench.db")}`,
  PUBLIC_URL: "https://commentary.example",
  SMTP_URL: "smtp://127.0.0.1:1",
  SIGNING_SECRET: "a secret of the bench, and long enough",
  GENERATOR_URL: "http://127.0.0.1:1/v1",
  GENERATOR_MODEL: "none"
}

/** A script that sends a new container's first request. The key is unknown, so the service queries the database. */
const first = `
const begin = performance.now()
const before = process.cpuUsage()
const { handler } = await import(${JSON.stringify(join(bundle, "index.mjs"))})
const imported = performance.now()
const answer = await handler(
  {
    version: "2.0", rawPath: "/partner/v1/personas", rawQueryString: "", headers: { "x-api-key": "pk_live_none" },
    requestContext: { http: { method: "GET", sourceIp: "203.0.113.9" }, stage: "$default" }
  },
  { getRemainingTimeInMillis: () => 30000 }
)
const answered = performance.now()
if (answer.statusCode !== 401) throw new Error(answer.body)
const { system, user } = process.cpuUsage(before)
const processor = (system + user) / 1000
console.log(JSON.stringify({ imported: imported - begin, answered: answered - begin, process: answered, processor }))
process.exit()
`

const start = async () => {
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", first], { env })
  return JSON.parse(stdout) as Readonly<Record<"imported" | "answered" | "process" | "processor", number>>
}

const median = (values: ReadonlyArray<number>) =>
  [...values].sort((one, other) => one - other)[values.length >> 1] ?? Number.NaN

const main = async () => {
  for (const line of Machine.describeMachine(folder)) print(line)
  print()
  await run(process.execPath, [join(import.meta.dirname, "../scripts/bundle.ts"), bundle])
  const files = readdirSync(bundle).filter((name) => name.endsWith(".mjs"))
  const size = files.reduce((sum, name) => sum + statSync(join(bundle, name)).size, 0)
  const packed = files.reduce((sum, name) => sum + gzipSync(readFileSync(join(bundle, name))).length, 0)
  print(
    `Bundle: ${(size / 1e6).toFixed(2)} MB minified in ${files.length} files, ${(packed / 1e6).toFixed(2)} MB packed (aim under ${aims.size / 1e6} MB)`
  )
  print(
    `  beside it, read when somebody looks: the explorer, ${(statSync(join(bundle, "explorer.js.gz")).size / 1e6).toFixed(2)} MB`
  )
  // Outside development the service creates no file.
  await run(process.execPath, [Servers.commandLinePath, "migrate"], { cwd: folder, env })
  await start()
  const all: Array<Awaited<ReturnType<typeof start>>> = []
  for (let count = 0; count < starts; count++) all.push(await start())
  const of = (name: keyof (typeof all)[number]) => median(all.map((one) => one[name])).toFixed(0)
  print(`Cold start, import to first answer: median of ${starts} (aim under ${aims.start} ms)`)
  const answered = all.map((one) => one.answered)
  print(
    `  ${median(answered).toFixed(0)} ms, from ${Math.min(...answered).toFixed(0)} to ${Math.max(...answered).toFixed(0)}`
  )
  print(
    `  of it ${of("imported")} ms are the import, which begins the service; ${of("processor")} ms of processor time`
  )
  print(`  with the start of Node ${of("process")} ms`)
}

await main().finally(() => rmSync(folder, { recursive: true, force: true }))
