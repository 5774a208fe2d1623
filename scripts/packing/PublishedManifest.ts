/**
 * What a workspace's manifest says to whoever installs it. The repository's own is for those who run the sources: private, and
 * with exports that are TypeScript. This one's exports are what the compiler made of them.
 */
import type { Manifest } from "../Repository.ts"

export interface SourceManifest extends Manifest {
  readonly private?: boolean
  readonly bin?: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly scripts?: Readonly<Record<string, string>>
}

/** A program is installed whole, as its bundle: nobody imports it, and it needs nothing besides. */
export const isProgram = ({ bin }: SourceManifest): boolean => bin !== undefined

/** `./src/*.ts` is reached as `./dist/*.js`, declared in `./dist/*.d.ts`. */
const compiled = (target: SourceManifest["exports"][string]) => {
  const path = typeof target === "string" ? /^\.\/src\/(.+)\.ts$/.exec(target)?.[1] : undefined
  return path === undefined ? target : { types: `./dist/${path}.d.ts`, default: `./dist/${path}.js` }
}

/**
 * Ours are released and tested together, so they ask for one another exactly. What others make was tested in the version that the
 * repository pins, and may be newer, so that a mended fault reaches an installation.
 */
const demanded = (dependencies: Readonly<Record<string, string>>, ours: ReadonlySet<string>) =>
  Object.fromEntries(
    Object.entries(dependencies).map(([name, version]) => [
      name,
      ours.has(name) || !/^\d/.test(version) ? version : `^${version}`
    ])
  )

export const publishedManifest = (
  {
    dependencies = {},
    devDependencies: _,
    exports,
    files: __,
    private: ___,
    scripts: ____,
    ...manifest
  }: SourceManifest,
  { folder, ours, repository }: { folder: string; ours: ReadonlySet<string>; repository: string | undefined }
) => ({
  ...manifest,
  ...(repository === undefined ? {} : { repository: { type: "git", url: repository, directory: folder } }),
  publishConfig: { access: "public", provenance: true },
  exports: {
    ...(isProgram(manifest as SourceManifest)
      ? {}
      : Object.fromEntries(Object.entries(exports).map(([name, target]) => [name, compiled(target)]))),
    "./package.json": "./package.json"
  },
  files: ["CHANGELOG.md", "bin", "bundle", "dist"],
  ...(isProgram(manifest as SourceManifest) ? {} : { dependencies: demanded(dependencies, ours) })
})
