/** Empty projects outside of the repository, into which tarballs are installed as their users would, and the Nodes to run them on. */
import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Packed } from "../packing/Tarballs.ts"

/** The environment of a stranger's shell: without what npm and the test runner set, but with the authorities of the machine. */
const environment = Object.fromEntries(
  Object.entries({ ...process.env, npm_config_audit: "false", npm_config_fund: "false", npm_config_loglevel: "error" })
    .filter(([name]) => !/^(npm_(package|lifecycle)_|NODE_(?!EXTRA_CA_CERTS)|VITEST|DATABASE_|TEST)/i.test(name))
    .concat([["npm_config_prefer_offline", "true"]])
)

/** All that it printed; rejects with it when the command fails. */
export const run = async (cwd: string, command: string, ...parameters: ReadonlyArray<string>): Promise<string> => {
  try {
    return (await promisify(execFile)(command, parameters, { cwd, env: environment, maxBuffer: 1 << 26 })).stdout
  } catch (error) {
    const { stderr, stdout } = error as { readonly stdout: string; readonly stderr: string }
    throw new Error(`${command} ${parameters.join(" ")} failed:\n${stdout}${stderr}`)
  }
}

/** A project that asks for some of ours, each in the tarball, and for what else it uses. */
export const project = (
  folder: string,
  packed: ReadonlyArray<Packed>,
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

/** The names of all that an installation would bring. */
export const brought = async (folder: string): Promise<ReadonlyArray<string>> => {
  await run(folder, "npm", "install", "--package-lock-only")
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, object>>
  }
  const names = Object.keys(packages).flatMap((path) => /.*node_modules\/(.+)$/.exec(path)?.[1] ?? [])
  return [...new Set(names)].sort()
}

/** Another Node than the repository's own, by npm's package of that name. */
export const nodeOf = async (folder: string, version: string): Promise<string> => {
  project(folder, [], [], { node: version })
  await run(folder, "npm", "install")
  return join(folder, "node_modules", "node", "bin", "node")
}
