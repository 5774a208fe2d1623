/**
 * Uses the open transaction of a host application as an Effect connection. The host passes the transaction object of
 * its own database library, such as Drizzle or Prisma.
 */
import { HostTransactionRefused } from "@partner-commentary/sql/database/HostTransaction"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Connection } from "effect/sql/SqlConnection"
import { makeRunStatement, toEffectConnection } from "./HostConnection.ts"
import type * as HostPool from "./HostPool.ts"

type Query = HostPool.Queryable["query"]

/**
 * The service passes compiled queries to Kysely. If Kysely compiled the queries, Kysely's plugins could rename columns.
 */
interface Compiled {
  readonly sql: string
  readonly parameters: ReadonlyArray<unknown>
  readonly query: object
  readonly queryId: object
}

interface KyselyLike {
  readonly executeQuery: (query: Compiled) => PromiseLike<HostPool.QueryResult>
  readonly withoutPlugins: () => KyselyLike
}

const ofKysely =
  (db: KyselyLike): Query =>
  (sql, parameters: ReadonlyArray<unknown> = []) =>
    db.withoutPlugins().executeQuery({
      sql,
      parameters,
      query: { kind: "RawNode", sqlFragments: [sql], parameters: [] },
      queryId: { queryId: sql }
    })

/** Drizzle accepts every object that can compile itself to SQL. */
interface DrizzleLike {
  readonly execute: (query: object) => PromiseLike<HostPool.QueryResult | ReadonlyArray<object>>
}

const ofDrizzle =
  (db: DrizzleLike): Query =>
  (sql, params: ReadonlyArray<unknown> = []) => {
    const compiled = { toQuery: () => ({ sql, params: [...params] }) }
    return db.execute({ getSQL: () => compiled }).then(toAnswer)
  }

/** The type of a Prisma transaction. */
interface PrismaLike {
  readonly $queryRawUnsafe: (sql: string, ...values: ReadonlyArray<unknown>) => PromiseLike<ReadonlyArray<object>>
}

const ofPrisma =
  (db: PrismaLike): Query =>
  (sql, values: ReadonlyArray<unknown> = []) =>
    db.$queryRawUnsafe(sql, ...values).then(toAnswer, (error) => Promise.reject(serverErrorOf(error)))

/**
 * Returns the server's error from a Prisma error. Prisma uses its own error codes, and stores the server's SQLSTATE in
 * the error of the driver adapter.
 */
const serverErrorOf = (error: unknown): unknown => {
  const answer = ["meta", "driverAdapterError", "cause"].reduce(
    (found, name) => (Predicate.isObject(found) ? Reflect.get(found, name) : undefined),
    error
  )
  return Predicate.hasProperty(answer, "originalCode")
    ? { code: answer.originalCode, message: Reflect.get(answer, "originalMessage"), cause: error }
    : error
}

/** The type of a postgres.js transaction. */
interface PostgresJsLike {
  readonly unsafe: (sql: string, values?: ReadonlyArray<unknown>) => PromiseLike<ReadonlyArray<object>>
}

const ofPostgresJs =
  (db: PostgresJsLike): Query =>
  (sql, values) =>
    db.unsafe(sql, values).then(toAnswer)

const toAnswer = (given: HostPool.QueryResult | ReadonlyArray<object>): HostPool.QueryResult =>
  "rows" in given ? given : { rows: given }

const has = <Name extends string>(db: object, name: Name): boolean => Predicate.isFunction(Reflect.get(db, name))

const queryOf = (db: unknown): Query | undefined => {
  if (!(Predicate.isObject(db) || Predicate.isFunction(db))) return undefined
  if (has(db, "query")) return (text, values) => (db as unknown as HostPool.Queryable).query(text, values)
  if (has(db, "executeQuery")) return ofKysely(db as unknown as KyselyLike)
  if (has(db, "$queryRawUnsafe")) return ofPrisma(db as unknown as PrismaLike)
  if (has(db, "unsafe")) return ofPostgresJs(db as unknown as PostgresJsLike)
  if (has(db, "execute")) return ofDrizzle(db as unknown as DrizzleLike)
  return undefined
}

/**
 * Makes a connection from a `pg` or PGlite client with an open transaction, or from a transaction of Drizzle, Kysely,
 * Prisma or postgres.js.
 */
export const connectToHostTransaction = (db: unknown): Effect.Effect<Connection, HostTransactionRefused> => {
  const query = queryOf(db)
  return query === undefined
    ? Effect.fail(
        new HostTransactionRefused({
          reason:
            "must be a client with query(text, values), or a transaction of Drizzle, Kysely, Prisma or postgres.js"
        })
      )
    : Effect.succeed(toEffectConnection(makeRunStatement({ query })))
}
