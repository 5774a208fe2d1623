/** Decodes the times that an application passes, either as a Date or as ISO 8601 text with a time zone. */
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

// biome-ignore lint/style/noRestrictedGlobals: applications have the language's own dates
export type HostDate = Date

const read = (given: unknown, rounding: Instant.Rounding): Option.Option<Instant.Instant> => {
  if (Predicate.isString(given)) return Instant.parse(given, rounding)
  return Predicate.isDate(given) ? Option.filter(Option.some(given.getTime()), Number.isFinite) : Option.none()
}

const makeHostDateSchema = (rounding: Instant.Rounding) =>
  Schema.declare((given: unknown): given is string | object => Option.isSome(read(given, rounding)), {
    message: "must be a Date, or ISO 8601 text with a time zone"
  }).pipe(
    Schema.decodeTo(Schema.Number, {
      decode: SchemaGetter.transform((given) => Option.getOrThrow(read(given, rounding))),
      encode: SchemaGetter.transform(Instant.toIso)
    })
  )

/** Decodes the application's time to an Instant of the core. */
export const HostDateSchema = makeHostDateSchema("down")

/** Decodes the inclusive start of a period. */
export const HostStartDateSchema = makeHostDateSchema("up")
