/**
 * Creates empty projects outside of the repository, installs tarballs into them as users would, and provides the Node
 * versions to run them.
 */
import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import type { PackedPackage } from "../packing/Tarballs.ts"

/**
 * The environment of a user's shell: without the variables of npm and the test runner, but with the machine's
 * certificate authorities.
 */
const environment = Object.fromEntries(
  Object.entries({ ...process.env, npm_config_audit: "false", npm_config_fund: "false", npm_config_loglevel: "error" })
    .filter(([name]) => !/^(npm_(package|lifecycle)_|NODE_(?!EXTRA_CA_CERTS)|VITEST|DATABASE_|TEST)/i.test(name))
    .concat([["npm_config_prefer_offline", "true"]])
)

/** Returns the command's standard output. If the command fails, rejects with all of its output. */
export const runProgram = async (
  cwd: string,
  command: string,
  ...parameters: ReadonlyArray<string>
): Promise<string> => {
  try {
    return (await promisify(execFile)(command, parameters, { cwd, env: environment, maxBuffer: 1 << 26 })).stdout
  } catch (error) {
    const { stderr, stdout } = error as { readonly stdout: string; readonly stderr: string }
    throw new Error(`${command} ${parameters.join(" ")} failed:\n${stdout}${stderr}`)
  }
}

/** Creates a project that depends on the tarballs of some of our packages, and on packages from npm. */
export const createTestProject = (
  folder: string,
  packed: ReadonlyArray<PackedPackage>,
  wanted: ReadonlyArray<string>,
  others: Readonly<Record<string, string>> = {}
): void => {
  const tarballs = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const ours = Object.fromEntries(wanted.map((name) => [name, tarballs[name] ?? "none was packed"]))
  const manifest = {
    name: "project",
    private: true,
    type: "module",
    dependencies: { ...ours, ...others },
    overrides: tarballs,
    allowScripts: { node: true }
  }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest))
}

/** The compiler options of every test project: strict, ESM, from `src` to `out`. */
export const testCompilerOptions = {
  target: "es2022",
  lib: ["es2023", "dom"],
  module: "nodenext",
  types: ["node"],
  strict: true,
  rewriteRelativeImportExtensions: true,
  rootDir: "src",
  outDir: "out"
}

/** Returns the names of all packages that an installation would add. */
export const listPackagesToInstall = async (folder: string): Promise<ReadonlyArray<string>> => {
  await runProgram(folder, "npm", "install", "--package-lock-only")
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, object>>
  }
  const names = Object.keys(packages).flatMap((path) => /.*node_modules\/(.+)$/.exec(path)?.[1] ?? [])
  return [...new Set(names)].sort()
}

/** Installs another version of Node from npm's `node` package. */
export const installNode = async (folder: string, version: string): Promise<string> => {
  createTestProject(folder, [], [], { node: version })
  await runProgram(folder, "npm", "install")
  return join(folder, "node_modules", "node", "bin", "node")
}
