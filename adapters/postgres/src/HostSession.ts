/** Uses the host's open transaction, in the form of the host's library, as a connection of Effect. */
import { HostTransactionRefused } from "@partner-commentary/sql/database/HostTransaction"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Connection } from "effect/sql/SqlConnection"
import { makeRunStatement, toConnection } from "./HostConnection.ts"
import type * as HostPool from "./HostPool.ts"

type Query = HostPool.Queryable["query"]

/**
 * Kysely compiles queries itself, but also accepts compiled queries. Kysely's plugins would rename columns in a query
 * that it compiles.
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

/** Drizzle accepts every object that compiles itself. */
interface DrizzleLike {
  readonly execute: (query: object) => PromiseLike<HostPool.QueryResult | ReadonlyArray<object>>
}

const ofDrizzle =
  (db: DrizzleLike): Query =>
  (sql, params: ReadonlyArray<unknown> = []) => {
    const compiled = { toQuery: () => ({ sql, params: [...params] }) }
    return db.execute({ getSQL: () => compiled }).then(toAnswer)
  }

/** The transaction of Prisma. */
interface PrismaLike {
  readonly $queryRawUnsafe: (sql: string, ...values: ReadonlyArray<unknown>) => PromiseLike<ReadonlyArray<object>>
}

const ofPrisma =
  (db: PrismaLike): Query =>
  (sql, values: ReadonlyArray<unknown> = []) =>
    db.$queryRawUnsafe(sql, ...values).then(toAnswer, (error) => Promise.reject(serverErrorOf(error)))

/** Prisma has a code of its own, and keeps the server's SQLSTATE in its adapter's error. */
const serverErrorOf = (error: unknown): unknown => {
  const answer = ["meta", "driverAdapterError", "cause"].reduce(
    (found, name) => (Predicate.isObject(found) ? Reflect.get(found, name) : undefined),
    error
  )
  return Predicate.hasProperty(answer, "originalCode")
    ? { code: answer.originalCode, message: Reflect.get(answer, "originalMessage"), cause: error }
    : error
}

/** The transaction of postgres.js. */
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

/** A client of `pg` or PGlite in a transaction, or a transaction of Drizzle, Kysely, Prisma or postgres.js. */
export const open = (db: unknown): Effect.Effect<Connection, HostTransactionRefused> => {
  const query = queryOf(db)
  return query === undefined
    ? Effect.fail(
        new HostTransactionRefused({
          reason:
            "must be a client with query(text, values), or a transaction of Drizzle, Kysely, Prisma or postgres.js"
        })
      )
    : Effect.succeed(toConnection(makeRunStatement({ query })))
}
