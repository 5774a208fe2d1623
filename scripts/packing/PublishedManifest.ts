/**
 * Generates a workspace's published manifest. The workspace's own manifest is for running the sources: this manifest is
 * private and exports TypeScript. The published manifest exports the compiled files.
 */
import * as Records from "effect/Record"
import * as Struct from "effect/Struct"
import type { PackageManifest } from "../Repository.ts"

/**
 * Users install a program as a bundle that a file in `bin/` starts. The published package of a program has no modules
 * to import and no dependencies. A library may also have a command, which is one of the library's modules.
 */
export const isBundledProgram = ({ bin = {} }: PackageManifest): boolean =>
  Object.values(bin).some((path) => path.startsWith("bin/"))

/** Points the `bin` commands of a library at their compiled modules instead of their sources. */
const commands = (bin: Readonly<Record<string, string>>) =>
  Records.map(bin, (path) => path.replace(/^src\/(.+)\.ts$/, "dist/$1.js"))

const moduleOf = (target: string | undefined) => /^\.\/src\/(.+)\.ts$/.exec(target ?? "")?.[1]

const es = (module: string) => ({ types: `./dist/${module}.d.ts`, default: `./dist/${module}.js` })
const commonJs = (module: string) => ({ types: `./dist/${module}.d.cts`, default: `./dist/${module}.cjs` })

/** Returns the modules that are also published as CommonJS: their exports have a condition `require`. */
export const listCommonJsEntries = ({ exports }: PackageManifest): ReadonlyArray<string> =>
  Object.values(exports).flatMap((target) => {
    const module = typeof target === "string" ? undefined : moduleOf(target["require"])
    return module === undefined ? [] : [module]
  })

/**
 * Maps `./src/*.ts` to `./dist/*.js` with the declarations `./dist/*.d.ts`, and a condition `require` to
 * `./dist/*.cjs`.
 */
const compiled = (exports: PackageManifest["exports"]): object =>
  JSON.parse(JSON.stringify(exports), (condition, target) => {
    const module = typeof target === "string" ? moduleOf(target) : undefined
    if (module === undefined) return target
    return condition === "require" ? commonJs(module) : es(module)
  })

/**
 * Our packages are released and tested together, so they require each other's exact version. Third-party packages may
 * be newer than the version that the repository pins, so that installations get bug fixes.
 */
const demanded = (dependencies: Readonly<Record<string, string>>, ours: ReadonlySet<string>) =>
  Records.map(dependencies, (version, name) => (ours.has(name) || !/^\d/.test(version) ? version : `^${version}`))

export const makePublishedManifest = (
  source: PackageManifest,
  { folder, ours, repository }: { folder: string; ours: ReadonlySet<string>; repository: string | undefined }
) => {
  const sourceOnly = ["devDependencies", "files", "private", "scripts"] as const
  const { bin, dependencies = {}, exports, ...manifest } = Struct.omit(source, sourceOnly)
  return {
    ...manifest,
    ...(bin === undefined ? {} : { bin: commands(bin) }),
    ...(repository === undefined ? {} : { repository: { type: "git", url: repository, directory: folder } }),
    publishConfig: { access: "public", provenance: true },
    exports: { ...(isBundledProgram(source) ? {} : compiled(exports)), "./package.json": "./package.json" },
    files: ["CHANGELOG.md", "bin", "bundle", "dist"],
    ...(isBundledProgram(source) ? {} : { dependencies: demanded(dependencies, ours) })
  }
}
