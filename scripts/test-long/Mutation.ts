/**
 * Plants one small fault at a time into core, sql and server, runs the tests nearest to it, and prints which faults no
 * test notices: `node scripts/test-long/Mutation.ts [COUNT] [SEED]`. It edits the sources of its checkout and restores
 * each one, so run it in a work tree of its own.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readFiles, root } from "../Repository.ts"

const [count = 200, seed = 1] = process.argv.slice(2).map(Number)

/** Each pattern with its replacement. The spaces exclude types, arrows and generics. */
const operators: ReadonlyArray<readonly [RegExp, (found: string) => string]> = [
  [/ === /g, () => " !== "],
  [/ !== /g, () => " === "],
  [/ < /g, () => " <= "],
  [/ <= /g, () => " < "],
  [/ > (?!=)/g, () => " >= "],
  [/ >= /g, () => " > "],
  [/ && /g, () => " || "],
  [/ \|\| /g, () => " && "],
  [/ \+ (?=[\w(])/g, () => " - "],
  [/ - (?=[\w(])/g, () => " + "],
  [/\btrue\b/g, () => "false"],
  [/\bfalse\b/g, () => "true"],
  [/(?<![\w.#$])[1-9]\d*(?![\w.]|_\d)/g, (found) => String(Number(found) + 1)],
  [/^ +yield\* [^\n{(]+\([^\n]*\)$/gm, () => ""],
  [/^ {2,}(?:AND|OR) [^\n`]+$/gm, () => ""]
]

interface Mutation {
  readonly path: string
  readonly index: number
  readonly found: string
  readonly replacement: string
}

/** Replaces comments, imports, types and strings with blanks of the same length. */
const code = (text: string) =>
  text.replace(
    /\/\*[\s\S]*?\*\/|(?<![:"'`\w])\/\/.*$|^import .*$|^export (?:interface|type) [\s\S]*?^\}?$|"[^"\n]*"/gm,
    (match) => match.replace(/[^\n]/g, "_")
  )

const mutationsOf = (path: string, text: string): ReadonlyArray<Mutation> =>
  operators.flatMap(([pattern, replace]) =>
    [...code(text).matchAll(pattern)].map(({ 0: found, index }) => ({
      path,
      index,
      found,
      replacement: replace(found)
    }))
  )

/** The Mulberry32 random generator. */
let state = seed
const random = () => {
  state = (state + 0x6d2b79f5) | 0
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

/** Finds the nearest tests: they have the same folder names as the code under test. */
const testsFor = (path: string): ReadonlyArray<string> => {
  const [, layer = "", folder = ""] = /^packages\/(\w+)\/src\/(?:routes\/)?([^/]+)\//.exec(path) ?? []
  const near = [`packages/${layer}/test/${folder}/`, `hosts/test/test/${folder}/`, "hosts/test/test/decisions/"]
  const stores = layer === "sql" ? ["adapters/sqlite/test/Stores.test.ts"] : []
  return [...stores, ...near.filter((each) => existsSync(join(root, each)))]
}

const isNoticed = (tests: ReadonlyArray<string>) => {
  const vitest = join(root, "node_modules/vitest/vitest.mjs")
  const options = ["run", "--config", "vitest.workspace.ts", "--bail=1", "--reporter=dot", "--testTimeout=20000"]
  const project = ["--project", "packages/*", "--project", "adapters/*", "--project", "hosts/*"]
  const { status } = spawnSync(process.execPath, [vitest, ...options, ...project, ...tests], {
    cwd: root,
    stdio: "ignore",
    timeout: 120_000
  })
  return status !== 0
}

const all = [...readFiles()]
  .filter(([path]) => /^packages\/(core|sql|server)\/src\/.*\.ts$/.test(path) && !path.includes("/migrations/"))
  .flatMap(([path, text]) => mutationsOf(path, text))

let noticed = 0
for (let planted = 1; planted <= count; planted++) {
  const mutation = all[Math.floor(random() * all.length)]
  if (mutation === undefined) break
  const { found, index, path, replacement } = mutation
  const place = join(root, path)
  const text = readFileSync(place, "utf8")
  try {
    writeFileSync(place, text.slice(0, index) + replacement + text.slice(index + found.length))
    const line = text.slice(0, index).split("\n").length
    if (isNoticed(testsFor(path))) noticed++
    else process.stdout.write(`survived: ${path}:${line} "${found.trim()}" became "${replacement.trim()}"\n`)
  } finally {
    writeFileSync(place, text)
  }
  if (planted % 10 === 0) process.stdout.write(`${planted} planted, ${noticed} noticed\n`)
}
