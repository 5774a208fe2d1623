/**
 * Converts values to columns that every database stores in the same way. Times are ISO text of fixed width, structures
 * are JSON text, and flags are 0 or 1.
 */
import { fromIso, type Instant, toIso } from "@partner-commentary/core/shared/Instant"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

/** A column that stores a time, with a name such as `created_at`. */
export const InstantColumn = Schema.String.pipe(
  Schema.decodeTo(Schema.Number, SchemaTransformation.transform({ decode: fromIso, encode: toIso }))
)

/** A column that stores a flag, with a name such as `is_revoked`. */
export const FlagColumn = Schema.Literals([0, 1]).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform({ decode: (flag) => flag === 1, encode: (is): 0 | 1 => (is ? 1 : 0) })
  )
)

export const fromIsoOrNull = (iso: string | null): Instant | null => (iso === null ? null : fromIso(iso))

/** Returns a function that works like `toIso`, but formats each distinct time only once for the rows of one change. */
export const makeIsoFormatter = (): ((instant: Instant) => string) => {
  const known = new Map<Instant, string>()
  return (instant) => {
    const iso = known.get(instant) ?? toIso(instant)
    known.set(instant, iso)
    return iso
  }
}

/** Returns the key for a case-insensitive look-up of an e-mail address. */
export const normalizeEmail = (address: string): string => address.toLowerCase()

/**
 * Encodes rows as one JSON text for an SQL parameter. The function replaces NUL characters and unpaired surrogates,
 * because Postgres rejects both in JSON.
 */
export const rowsToJson = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>): string =>
  JSON.stringify(rows, (_, value: unknown) =>
    typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\uFFFD") : value
  )

/** Returns a Postgres array literal of names or numbers. */
export const toPostgresArray = (values: ReadonlyArray<string | number>): string =>
  `{${values.map((one) => JSON.stringify(one)).join()}}`
