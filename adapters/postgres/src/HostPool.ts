/** Borrows sessions from the pool of a host application. The pool may come from any library. */
import * as Predicate from "effect/Predicate"

/**
 * The result of an SQL statement. The stores select only column types that every driver returns in the same form: text,
 * 32-bit integers and doubles.
 */
export interface QueryResult {
  readonly rows: ReadonlyArray<object>
  /**
   * The command that Postgres reports for a statement without rows, such as `ROLLBACK`. The command is undefined with
   * PGlite, which reports no command.
   */
  readonly command?: string | undefined
}

/** Any object that can run a statement with parameters such as `$1` and `$2`. */
export interface Queryable {
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of `pg` and of its forks differ in their types
  readonly query: (text: string, values?: any) => PromiseLike<any>
}

/**
 * A session that was borrowed from the pool. With `true`, `release` ends the session instead of returning the session
 * to the pool.
 */
export interface ApplicationPoolSession extends Queryable {
  readonly release: (destroy?: boolean) => void
}

/** A `pg.Pool`, or any other pool with the methods `query` and `connect`. */
export interface ApplicationSessionPool extends Queryable {
  readonly connect: () => PromiseLike<ApplicationPoolSession>
}

/**
 * The type of PGlite, which has only one session. `transaction` lends the only session to the given function while the
 * function runs.
 */
export interface SingleSessionDatabase extends Queryable {
  // biome-ignore lint/suspicious/noExplicitAny: a PGlite transaction has more methods than the service uses
  readonly transaction: (use: (session: any) => Promise<any>) => Promise<any>
}

export type HostPool = ApplicationSessionPool | SingleSessionDatabase

export const isHostPool = (given: unknown): given is HostPool =>
  isQueryable(given) &&
  (Predicate.isFunction(Reflect.get(given, "connect")) || Predicate.isFunction(Reflect.get(given, "transaction")))

const isQueryable = (given: unknown): given is Queryable =>
  (Predicate.isObject(given) || Predicate.isFunction(given)) && Predicate.isFunction(Reflect.get(given, "query"))

/** Borrows a session from the pool. The caller must release the session. */
export const lease = (pool: HostPool): PromiseLike<ApplicationPoolSession> =>
  "connect" in pool
    ? pool.connect()
    : new Promise((resolve, reject) => {
        const use = (session: Queryable) =>
          new Promise<void>((release) => resolve({ query: begun(session), release: () => release() }))
        pool.transaction(use).catch(reject)
      })

/**
 * Removes a leading BEGIN from statements, because PGlite lends its session only inside a transaction that is already
 * open.
 */
const begun =
  (session: Queryable): Queryable["query"] =>
  (text, values) => {
    const left = text.replace(/^BEGIN(; )?/, "")
    return left === "" ? Promise.resolve({ rows: [] }) : session.query(left, values)
  }
