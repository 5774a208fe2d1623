/**
 * Copies the files that each workspace publishes to a separate folder: the compiled modules, the README, the licence,
 * the changelog and the published manifest.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { buildSync } from "esbuild"
import {
  listWorkspaces,
  type PackageManifest,
  type RepositoryFiles,
  readRepositoryFiles,
  repositoryRoot,
  type Workspace
} from "../Repository.ts"
import { isBundledProgram, listCommonJsEntries, makePublishedManifest } from "./PublishedManifest.ts"

export interface StagedPackage {
  readonly name: string
  readonly version: string
  /** The path of the staged folder. */
  readonly folder: string
  /** The importable paths after the package's name, such as `.` or `./topic/Topic`. */
  readonly entries: ReadonlyArray<string>
}

/** The published modules, such as `topic/Topic`, without the folders that the manifest excludes. */
const modulesOf = (files: RepositoryFiles, { folder, manifest }: Workspace): ReadonlyArray<string> => {
  const source = `${folder}/src/`
  const excluded = (manifest.files ?? []).filter((name) => name.startsWith("!")).map((name) => name.slice(1))
  return [...files.keys()]
    .filter((path) => path.startsWith(source) && path.endsWith(".ts"))
    .filter((path) => !excluded.some((name) => path.startsWith(`${folder}/${name}/`)))
    .map((path) => path.slice(source.length, -".ts".length))
}

const write = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** TypeScript keeps the ending `.ts` in the imports of declarations, but other compilers reject this ending. */
const relativeImport = /((?:\bfrom|\bimport)\s*\(?\s*)"(\.{1,2}\/[^"\n]+)\.ts"/g

/** Packages contain no separate source files, because the source maps contain the sources. */
const copyModule = (workspace: string, folder: string, module: string) => {
  const built = (ending: string) => readFileSync(join(repositoryRoot, workspace, "dist", `${module}${ending}`), "utf8")
  write(join(folder, "dist", `${module}.js`), built(".js"))
  write(join(folder, "dist", `${module}.js.map`), built(".js.map"))
  write(join(folder, "dist", `${module}.d.ts`), built(".d.ts").replace(relativeImport, '$1"$2.js"'))
}

/** The CommonJS output consists of one bundle for each entry and the declarations of all modules. */
const copyCommonJs = (workspace: string, folder: string, modules: ReadonlyArray<string>, entry: string) => {
  const source = join(repositoryRoot, workspace, "dist")
  buildSync({
    entryPoints: [join(source, `${entry}.js`)],
    outfile: join(folder, "dist", `${entry}.cjs`),
    bundle: true,
    format: "cjs",
    platform: "neutral",
    target: "es2022",
    logLevel: "warning"
  })
  for (const module of modules) {
    const declarations = readFileSync(join(source, `${module}.d.ts`), "utf8")
    write(join(folder, "dist", `${module}.d.cts`), declarations.replace(relativeImport, '$1"$2.cjs"'))
  }
}

const entriesOf = ({ exports }: PackageManifest, modules: ReadonlyArray<string>): ReadonlyArray<string> => {
  const named = Object.keys(exports).filter((name) => !name.includes("*") && name !== "./package.json")
  return [...named, ...("./*" in exports ? modules.map((module) => `./${module}`) : [])]
}

export interface StagingOptions {
  /** The repository's URL, with which npm verifies where a package was built. */
  readonly repository?: string | undefined
  readonly only?: string
}

/**
 * Stages the packages in folders below `destination`, which is emptied first. The build output must exist: see
 * `Build.ts`.
 */
export const stagePackages = (
  destination: string,
  { only, repository }: StagingOptions = {}
): ReadonlyArray<StagedPackage> => {
  const files = readRepositoryFiles()
  const all = listWorkspaces(files)
  const ours = new Set(all.map(({ manifest }) => manifest.name))
  rmSync(destination, { recursive: true, force: true })
  const wanted = all.filter(({ folder }) => only === undefined || folder === only)
  return wanted.map((each): StagedPackage => {
    const { manifest } = each
    const folder = join(destination, each.folder.replace("/", "-"))
    const modules = isBundledProgram(manifest) ? [] : modulesOf(files, each)
    for (const module of modules) copyModule(each.folder, folder, module)
    for (const entry of listCommonJsEntries(manifest)) copyCommonJs(each.folder, folder, modules, entry)
    for (const made of ["bin", "bundle"]) {
      const source = join(repositoryRoot, each.folder, made)
      if (existsSync(source)) cpSync(source, join(folder, made), { recursive: true })
    }
    rmSync(join(folder, "bundle", "sources.json"), { force: true })
    cpSync(join(repositoryRoot, each.folder, "README.md"), join(folder, "README.md"))
    for (const shared of ["LICENSE", "CHANGELOG.md"]) cpSync(join(repositoryRoot, shared), join(folder, shared))
    const published = makePublishedManifest(manifest, { folder: each.folder, ours, repository })
    write(join(folder, "package.json"), `${JSON.stringify(published, undefined, 2)}\n`)
    return {
      name: manifest.name,
      version: manifest.version,
      folder,
      entries: isBundledProgram(manifest) ? [] : entriesOf(manifest, modules)
    }
  })
}
