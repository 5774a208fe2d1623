#!/usr/bin/env node
// Starts the command line on a Node that can run it: this one, or the `node` that was installed beside this package.
// Plain JavaScript that old Nodes can read; everything else is TypeScript behind the import at the end.
import { spawn } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import module from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const isEnough = (version) => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major > 22 || (major === 22 && minor >= 19)
}

const installedNode = () => {
  const executable = process.platform === "win32" ? "node.exe" : "node"
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", "node", "bin", executable)
    if (existsSync(candidate)) return candidate
    if (dirname(folder) === folder) return undefined
  }
}

const runWith = (node) => {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, PARTNER_COMMENTARY_NODE: node }
  })
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.on("error", (error) => refuse(error.message))
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGINT" ? 130 : 143)
  })
}

// The bundle is what the sources were when it was made. One that is older than any of them is passed by. A package that was
// installed has no sources.
const isBundled = () => {
  const folder = join(dirname(fileURLToPath(import.meta.url)), "..")
  if (!existsSync(join(folder, "src"))) return true
  const list = join(folder, "bundle", "sources.json")
  if (!existsSync(list)) return false
  const times = Object.entries(JSON.parse(readFileSync(list, "utf8")))
  return times.every(([source, time]) => statSync(join(folder, source), { throwIfNoEntry: false })?.mtimeMs === time)
}

// A service keeps its memory small and flat. Left alone, V8 lets young garbage grow by more than the service needs itself,
// and the allocator keeps what each thread, and the compiler in its large pieces, once had.
const frugal = ["--max-semi-space-size=8", "--heap-growing-percent=20"]

/** Whether this process should begin anew with those options: it cannot take them once it runs. Who chose others keeps them. */
const isLavish = () =>
  process.argv.slice(2).some((argument) => argument === "serve" || argument === "worker") &&
  process.execve !== undefined &&
  process.platform !== "win32" &&
  !`${process.execArgv.join(" ")} ${process.env.NODE_OPTIONS ?? ""}`.includes("semi-space-size")

/** The same process, so that whoever started it keeps its pid, its signals and its output. */
const beginAnew = () =>
  process.execve(
    process.execPath,
    [process.execPath, ...frugal, ...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)],
    { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: "32768", MALLOC_TRIM_THRESHOLD_: "131072", ...process.env }
  )

const refuse = (reason) => {
  process.stderr.write(`Partner Commentary needs Node 22.19 or newer, and this is ${process.version}: ${reason}\n`)
  process.exitCode = 1
}

// What is written is the operator's alone: it holds people's addresses and words.
process.umask(0o077)

if (isEnough(process.versions.node)) {
  if (isLavish()) beginAnew()
  module.enableCompileCache?.()
  await import(isBundled() ? "../bundle/main.mjs" : "../src/main.ts")
} else {
  const node = process.env.PARTNER_COMMENTARY_NODE === undefined ? installedNode() : undefined
  if (node === undefined) refuse("install a newer one, or run `npm ci` in the project, which brings its own.")
  else runWith(node)
}
