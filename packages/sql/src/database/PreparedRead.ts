/** Compiles the text of a frequent read only once. Each run passes the values of its parameters by name. */
import type * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import { type DirectRead, readBySqlText } from "./DirectReads.ts"

/** The function `build` calls `value(name)` at each place in the statement where a run inserts a value. */
export const make = <Row extends object, Name extends string>(
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
