/**
 * Maps many rows in small steps. Mapping a thousand rows in one step would block the event loop for tens of
 * milliseconds.
 */
import * as Effect from "effect/Effect"

/** The number of rows in one step. One step takes one or two milliseconds. */
const rowsAtOnce = 32

/** Maps rows as `rows.map(f)` does, but yields to other fibers between steps. A short list needs only one step. */
export const mapRowsInSteps = <Row, A>(
  rows: ReadonlyArray<Row>,
  f: (row: Row) => A
): Effect.Effect<ReadonlyArray<A>> => (rows.length <= rowsAtOnce ? Effect.sync(() => rows.map(f)) : inSteps(rows, f))

const inSteps = Effect.fnUntraced(function* <Row, A>(rows: ReadonlyArray<Row>, f: (row: Row) => A) {
  const mapped: Array<A> = []
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    yield* Effect.yieldNow
    for (const row of rows.slice(start, start + rowsAtOnce)) mapped.push(f(row))
  }
  return mapped
})
