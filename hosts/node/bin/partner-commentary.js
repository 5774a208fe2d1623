#!/usr/bin/env node
// Starts the command line with the current Node if its version suffices, or with the `node` package that was installed
// beside this package. This file is plain JavaScript that old Node versions can parse. All other code is imported at
// the end of this file.
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
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

// A checkout runs its bundle only if the hash of the sources equals the hash in the bundle, so that edited sources take
// effect. File times are not compared, because copies and archives change file times. A published package and an image
// contain no sources and always run the bundle. scripts/packing/SourceDigest.ts computes the hash in the same way.
const isBundled = () => {
  const folder = join(dirname(fileURLToPath(import.meta.url)), "..")
  if (!existsSync(join(folder, "src"))) return true
  try {
    const { files, sha256 } = JSON.parse(readFileSync(join(folder, "bundle", "sources.json"), "utf8"))
    const hash = createHash("sha256")
    for (const file of files) {
      const content = readFileSync(join(folder, file))
      hash.update(`${file}\n${content.length}\n`).update(content)
    }
    return hash.digest("hex") === sha256
  } catch {
    return false
  }
}

// These options keep a service's memory small: V8 collects garbage earlier than by default. Pretenuring would create
// each request's objects in V8's old generation. The variables in `beginAnew` make the allocator return unused memory.
const frugal = ["--max-semi-space-size=8", "--heap-growing-percent=30", "--no-allocation-site-pretenuring"]

/** Returns whether a service must restart to get the V8 options. A semi-space size that the operator sets is kept. */
const isLavish = () =>
  process.argv.slice(2).some((argument) => argument === "serve" || argument === "worker") &&
  process.execve !== undefined &&
  process.platform !== "win32" &&
  !`${process.execArgv.join(" ")} ${process.env.NODE_OPTIONS ?? ""}`.includes("semi-space-size")

/** Restarts the program within the same process, so that the process id, signals and output streams stay the same. */
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

// Only the operator may read the files that the program writes, because they contain personal addresses and texts.
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
