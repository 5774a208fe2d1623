/**
 * Gives the peer (the comparison service, see bench/README.md) the same interface to SQLite and Postgres. Statements
 * use `$1`, and each statement is prepared once.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite"
import type { DatabasePool, QueryAnswer } from "../Database.ts"

// biome-ignore lint/suspicious/noExplicitAny: rows depend on the statement
export type RunSqlQuery = (text: string, values: ReadonlyArray<unknown>) => Promise<ReadonlyArray<any>>

export interface PeerDatabase {
  readonly query: RunSqlQuery
  /** Runs the statements in one transaction. */
  readonly transaction: <A>(work: (query: RunSqlQuery) => Promise<A>) => Promise<A>
  /** The clause with which a query skips rows that another session has locked. */
  readonly skipLocked: string
}

export const openPostgresDatabase = (pool: DatabasePool): PeerDatabase => {
  const names = new Map<string, string>()
  const named = (text: string, values: ReadonlyArray<unknown>) => {
    const name = names.get(text) ?? `s${names.size}`
    names.set(text, name)
    return { name, text, values }
  }
  const rowsOf = ({ rows }: QueryAnswer) => rows
  return {
    query: async (text, values) => rowsOf(await pool.query(named(text, values))),
    transaction: async (work) => {
      const client = await pool.connect()
      try {
        await client.query("BEGIN")
        const result = await work(async (text, values) => rowsOf(await client.query(named(text, values))))
        await client.query("COMMIT")
        return result
      } catch (error) {
        await client.query("ROLLBACK")
        throw error
      } finally {
        client.release()
      }
    },
    skipLocked: "FOR UPDATE SKIP LOCKED"
  }
}

/** Runs transactions one after another. */
export const openSqliteDatabase = (db: DatabaseSync) => {
  const prepared = new Map<string, StatementSync>()
  const query: RunSqlQuery = async (text, values) => {
    const statement = prepared.get(text) ?? db.prepare(text.replace(/\$(\d)/g, "?$1"))
    prepared.set(text, statement)
    return statement.all(...(values as ReadonlyArray<string | number | null>))
  }
  let last: Promise<unknown> = Promise.resolve()
  const alone = <A>(work: () => Promise<A>): Promise<A> => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
  return {
    alone,
    query: (text: string, values: ReadonlyArray<unknown>) => alone(() => query(text, values)),
    transaction: <A>(work: (query: RunSqlQuery) => Promise<A>) =>
      alone(async () => {
        db.exec("BEGIN IMMEDIATE")
        try {
          const result = await work(query)
          db.exec("COMMIT")
          return result
        } catch (error) {
          db.exec("ROLLBACK")
          throw error
        }
      }),
    skipLocked: ""
  }
}
