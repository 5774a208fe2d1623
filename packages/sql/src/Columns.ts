/** How values lie in columns, the same on every database: moments as ISO text of fixed width, structures as JSON text. */
import { fromIso, type Instant, toIso } from "@partner-commentary/core/shared/Instant"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

/** A column `*_at`. */
export const InstantColumn = Schema.String.pipe(
  Schema.decodeTo(Schema.Number, SchemaTransformation.transform({ decode: fromIso, encode: toIso }))
)

export const toIsoOrNull = (instant: Instant | null): string | null => (instant === null ? null : toIso(instant))

export const fromIsoOrNull = (iso: string | null): Instant | null => (iso === null ? null : fromIso(iso))

/** By this are e-mail addresses looked up, whatever their case. */
export const addressKey = (address: string): string => address.toLowerCase()
