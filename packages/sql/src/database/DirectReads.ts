/**
 * Reads rows with one synchronous function call instead of the fiber steps of the SqlClient. Only the SQLite adapter
 * provides direct reads.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as References from "effect/References"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import { isInTransaction } from "./Transaction.ts"

export type DirectRead = <Row>(text: string, params: ReadonlyArray<unknown>) => ReadonlyArray<Row> | undefined

/** Returns the rows of a read, or undefined if the connection is in a transaction or the statement fails. */
export const DirectReads = Context.Reference<DirectRead>("@partner-commentary/reference/DirectReads", {
  defaultValue: () => () => undefined
})

/** Runs a read directly if the adapter allows direct reads, and otherwise through the client. */
const readBySqlText = <Row extends object>(
  sql: SqlClient,
  read: DirectRead,
  text: string,
  params: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<Row>, SqlError> =>
  Effect.withFiber((fiber) => {
    const rows = mayReadDirectly(sql, fiber) ? read<Row>(text, params) : undefined
    return rows === undefined ? sql.unsafe<Row>(text, params) : Effect.succeed(rows)
  })

/** Runs a read directly if the adapter allows direct reads. The statement's text may be different at each call. */
export const readBySqlStatement = <Row extends object>(sql: SqlClient, read: DirectRead, statement: Statement<Row>) =>
  readBySqlText<Row>(sql, read, ...statement.compile())

/**
 * A read within a transaction must use the transaction's connection. A traced read must create a span, and only the
 * client creates spans.
 */
const mayReadDirectly = (sql: SqlClient, fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  !isInTransaction(sql, fiber) && !fiber.getRef(References.TracerEnabled)

/**
 * Compiles the text of a frequent read only once. Each run passes the values of its parameters by name. The function
 * `build` calls `value(name)` at each place in the statement where a run inserts a value.
 */
export const makePreparedRead = <Row extends object, Name extends string>(
  sql: SqlClient,
  read: DirectRead,
  build: (value: (name: Name) => string) => Statement<Row>
): ((values: Readonly<Record<Name, string | number>>) => Effect.Effect<ReadonlyArray<Row>, SqlError>) => {
  const places = new Map<string, Name>()
  const [text, given] = build((name) => {
    const place = `value of ${name} ${places.size}`
    places.set(place, name)
    return place
  }).compile()
  const names = given.map((value) => places.get(value as string))
  return (values) => {
    const params = names.map((name, index) => (name === undefined ? given[index] : values[name]))
    return readBySqlText<Row>(sql, read, text, params)
  }
}
