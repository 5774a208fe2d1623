/** Packs each staged package as a tarball, as npm would publish it. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Staged } from "./Stage.ts"

export interface Packed extends Staged {
  readonly tarball: string
}

/** Without the variables that npm sets for its scripts, because they would change the packing. */
const environment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_(config|package|lifecycle)/i.test(name)))

/** Packs all folders with one command. npm only reads them. */
export const pack = async (all: ReadonlyArray<Staged>, destination: string): Promise<ReadonlyArray<Packed>> => {
  const folders = all.map(({ folder }) => folder)
  const { stdout } = await promisify(execFile)(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", destination, ...folders],
    { cwd: destination, env: environment(), maxBuffer: 1 << 26 }
  )
  const made: Record<string, { filename: string }> | Array<{ name: string; filename: string }> = JSON.parse(stdout)
  const names = new Map(
    Array.isArray(made)
      ? made.map(({ filename, name }) => [name, filename])
      : Object.entries(made).map(([name, { filename }]) => [name, filename])
  )
  return all.map((staged) => ({ ...staged, tarball: join(destination, names.get(staged.name) ?? "") }))
}
