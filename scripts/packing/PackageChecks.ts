/**
 * Checks the tarballs with publint and Are The Types Wrong, entry by entry, and checks that a README imports only
 * exported modules. The checks skip old module resolvers. For packages that are only ESM, the checks also skip
 * `require`.
 */
import { execFile } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { repositoryRoot } from "../Repository.ts"
import type { PackedPackage } from "./Tarballs.ts"

const attw = join(repositoryRoot, "node_modules/@arethetypeswrong/cli/dist/index.js")

const asPublint = async ({ name, tarball }: PackedPackage): Promise<ReadonlyArray<string>> => {
  const bytes = new Uint8Array(readFileSync(tarball))
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true })
  return messages.map((message) => `${name}: ${formatMessage(message, pkg ?? {}, { color: false })} (publint)`)
}

/**
 * Selects all top-level entries of a package's exports, and one entry per folder. One entry is enough, because all
 * modules of a folder match the same pattern of the package's exports.
 */
const sampleOf = (entries: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Map(entries.map((entry) => [entry.includes("/") ? dirname(entry) : entry, entry])).values()
]

const asTypes = async ({ entries, folder, name, tarball }: PackedPackage): Promise<ReadonlyArray<string>> => {
  if (entries.length === 0) return []
  const isDual = readFileSync(join(folder, "package.json"), "utf8").includes('"require":')
  const profile = isDual ? "node16" : "esm-only"
  const options = `--profile ${profile} --format ascii --no-emoji --no-color --no-definitely-typed --entrypoints`
  try {
    const given = [attw, tarball, ...options.split(" "), ...sampleOf(entries)]
    await promisify(execFile)(process.execPath, given, { maxBuffer: 1 << 26 })
    return []
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string }
    return [`${name}: ${stdout}${stderr} (Are The Types Wrong)`]
  }
}

const readmeOf = ({ entries, folder, name }: PackedPackage): ReadonlyArray<string> => {
  const code = [...readFileSync(join(folder, "README.md"), "utf8").matchAll(/^```ts\n([\s\S]+?)^```$/gm)]
  return code
    .flatMap(([, text = ""]) => [...text.matchAll(/\bfrom "([^"]+)"/g)].map(([, specifier = ""]) => specifier))
    .filter((specifier) => specifier === name || specifier.startsWith(`${name}/`))
    .filter((specifier) => !entries.includes(`.${specifier.slice(name.length)}`))
    .map((specifier) => `${name}: its README imports ${specifier}, which it does not export (README)`)
}

/** Checks all declaration files, because Are The Types Wrong checks only one entry per folder. */
const declarationsOf = ({ folder, name }: PackedPackage): ReadonlyArray<string> => {
  const dist = join(folder, "dist")
  if (!existsSync(dist)) return []
  const declarations = readdirSync(dist, { encoding: "utf8", recursive: true }).filter((path) => path.endsWith(".d.ts"))
  return declarations
    .filter((path) => /(from|import)[\s(]*"\.[^"\n]*\.ts"/.test(readFileSync(join(dist, path), "utf8")))
    .map((path) => `${name}: dist/${path} imports TypeScript, which is not there (declarations)`)
}

const checkPackage = async (packed: PackedPackage): Promise<ReadonlyArray<string>> => [
  ...readmeOf(packed),
  ...declarationsOf(packed),
  ...(await asPublint(packed)),
  ...(await asTypes(packed))
]

/**
 * Returns one sentence or one report for each fault. Two packages are checked at a time, because Are The Types Wrong
 * runs a compiler process.
 */
export const checkPackedPackages = async (all: ReadonlyArray<PackedPackage>): Promise<ReadonlyArray<string>> => {
  const findings = Effect.forEach(all, (packed) => Effect.promise(() => checkPackage(packed)), { concurrency: 2 })
  return (await Effect.runPromise(findings)).flat()
}
