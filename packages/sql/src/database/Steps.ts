/** Maps many rows in steps: a turn of the event loop is shared by all callers, and a thousand rows take tens of milliseconds. */
import * as Effect from "effect/Effect"

/** Rows of a step: a millisecond or two. */
const rowsAtOnce = 32

/** As `rows.map(f)`, with the other callers' turns between any two steps. Few rows are mapped at once. */
export const mapRows = <Row, A>(rows: ReadonlyArray<Row>, f: (row: Row) => A): Effect.Effect<ReadonlyArray<A>> =>
  rows.length <= rowsAtOnce ? Effect.sync(() => rows.map(f)) : inSteps(rows, f)

const inSteps = Effect.fnUntraced(function* <Row, A>(rows: ReadonlyArray<Row>, f: (row: Row) => A) {
  const mapped: Array<A> = []
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    yield* Effect.yieldNow
    for (const row of rows.slice(start, start + rowsAtOnce)) mapped.push(f(row))
  }
  return mapped
})
