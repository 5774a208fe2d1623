#!/usr/bin/env node
// Starts the command line with this Node, or with the `node` package installed beside this package if this Node is too
// old. Old versions of Node must be able to parse this file, so it is plain JavaScript. The rest is TypeScript, which the
// last import loads.
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import module from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const isSupported = (version) => {
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

const runWithNode = (node) => {
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

// A checkout runs its bundle only while the hash of the sources matches the bundle, so that changed sources take effect.
// The check does not compare file times, because copies and archives change them. A published package and an image have
// no sources. scripts/packing/SourceDigest.ts computes the hash.
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

// These flags keep the memory of a service small: V8 collects garbage earlier than by default. Without the last flag, V8
// would create the objects of every request in the old generation.
const memoryFlags = ["--max-semi-space-size=8", "--heap-growing-percent=30", "--no-allocation-site-pretenuring"]

// Node accepts these flags only at its start, so a service must replace its process. Flags of the operator stay in force.
const needsMemoryFlags = () =>
  process.argv.slice(2).some((argument) => argument === "serve" || argument === "worker") &&
  process.execve !== undefined &&
  process.platform !== "win32" &&
  !`${process.execArgv.join(" ")} ${process.env.NODE_OPTIONS ?? ""}`.includes("semi-space-size")

// Replaces the process. Its id, signals and output stay the same. The variables make the C allocator return free memory.
const replaceProcess = () =>
  process.execve(
    process.execPath,
    [process.execPath, ...memoryFlags, ...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)],
    { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: "32768", MALLOC_TRIM_THRESHOLD_: "131072", ...process.env }
  )

const refuse = (reason) => {
  process.stderr.write(`Partner Commentary needs Node 22.19 or newer, and this is ${process.version}: ${reason}\n`)
  process.exitCode = 1
}

// Only the operator may read the files that the process writes, because they contain personal data.
process.umask(0o077)

if (isSupported(process.versions.node)) {
  if (needsMemoryFlags()) replaceProcess()
  module.enableCompileCache?.()
  await import(isBundled() ? "../bundle/main.mjs" : "../src/main.ts")
} else {
  const node = process.env.PARTNER_COMMENTARY_NODE === undefined ? installedNode() : undefined
  if (node === undefined) refuse("install a newer one, or run `npm ci` in the project, which brings its own.")
  else runWithNode(node)
}
