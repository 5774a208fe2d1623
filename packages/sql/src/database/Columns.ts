/** How values lie in columns, the same on every database: moments as ISO text of fixed width, structures as JSON text, flags as 0 and 1. */
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

/** `toIso` for many rows of one change, whose moments are few: each is formatted once. */
export const isoOfFew = (): ((instant: Instant) => string) => {
  const known = new Map<Instant, string>()
  return (instant) => {
    const iso = known.get(instant) ?? toIso(instant)
    known.set(instant, iso)
    return iso
  }
}

/** By this are e-mail addresses looked up, whatever their case. */
export const addressKey = (address: string): string => address.toLowerCase()

/** Rows as one parameter, their texts as they would be by themselves: Postgres reads no NUL and no half of a character from JSON. */
export const jsonOf = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>): string =>
  JSON.stringify(rows, (_, value: unknown) =>
    typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\uFFFD") : value
  )

/** As Postgres writes an array, of names and numbers. */
export const array = (values: ReadonlyArray<string | number>): string =>
  `{${values.map((one) => JSON.stringify(one)).join()}}`
