/** Column values, equal on every database: times are ISO text of fixed width, structures JSON text, flags 0 and 1. */
import { fromIso, type Instant, toIso } from "@partner-commentary/core/shared/Instant"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

/** A column `*_at`. */
export const InstantColumn = Schema.String.pipe(
  Schema.decodeTo(Schema.Number, SchemaTransformation.transform({ decode: fromIso, encode: toIso }))
)

/** A column `is_*`. */
export const FlagColumn = Schema.Literals([0, 1]).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform({ decode: (flag) => flag === 1, encode: (is): 0 | 1 => (is ? 1 : 0) })
  )
)

export const toIsoOrNull = (instant: Instant | null): string | null => (instant === null ? null : toIso(instant))

export const fromIsoOrNull = (iso: string | null): Instant | null => (iso === null ? null : fromIso(iso))

/** `toIso` that formats each distinct time once, for the rows of one change. */
export const isoOfFew = (): ((instant: Instant) => string) => {
  const known = new Map<Instant, string>()
  return (instant) => {
    const iso = known.get(instant) ?? toIso(instant)
    known.set(instant, iso)
    return iso
  }
}

/** The key by which e-mail addresses are looked up, whatever their case. */
export const addressKey = (address: string): string => address.toLowerCase()

/** Rows as one JSON parameter. Replaces NUL and unpaired surrogates, which Postgres rejects in JSON. */
export const jsonOf = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>): string =>
  JSON.stringify(rows, (_, value: unknown) =>
    typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\uFFFD") : value
  )

/** A Postgres array literal of names or numbers. */
export const array = (values: ReadonlyArray<string | number>): string =>
  `{${values.map((one) => JSON.stringify(one)).join()}}`
