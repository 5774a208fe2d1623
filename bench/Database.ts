/**
 * Accesses the database directly for the Postgres benchmarks. Declares types for the part of `pg` that the benchmarks
 * use.
 */
import { createRequire } from "node:module"

export interface QueryAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: rows depend on the statement
  readonly rows: ReadonlyArray<any>
  readonly rowCount: number | null
}

export type SqlStatement =
  | string
  | { readonly name: string; readonly text: string; readonly values: ReadonlyArray<unknown> }

export interface DatabaseClient {
  query(text: SqlStatement, values?: ReadonlyArray<unknown>): Promise<QueryAnswer>
  release(error?: boolean): void
}

export interface DatabasePool {
  query(text: SqlStatement, values?: ReadonlyArray<unknown>): Promise<QueryAnswer>
  connect(): Promise<DatabaseClient>
  end(): Promise<void>
  on(event: "error", listener: (error: Error) => void): void
}

/** The package `pg` has no types. */
const pg = createRequire(import.meta.url)("pg") as {
  Pool: new (options: { readonly connectionString: string; readonly max: number }) => DatabasePool
}

export const openPool = (connectionString: string, max = 1): DatabasePool => {
  const pool = new pg.Pool({ connectionString, max })
  // Ignore errors of idle connections. Idle connections break when the server stops, and no work depends on idle
  // connections.
  pool.on("error", () => {})
  return pool
}

export const makeDatabaseUrl = (url: string, database: string): string => {
  const own = new URL(url)
  own.pathname = `/${database}`
  return own.href
}

/** Commits are flushed to the disk before they are acknowledged. The memory settings fit a small server. */
export const postgresServerSettings = [
  "fsync=on",
  "synchronous_commit=on",
  "full_page_writes=on",
  "shared_buffers=1GB",
  "max_wal_size=8GB",
  "maintenance_work_mem=512MB",
  "work_mem=64MB"
]
