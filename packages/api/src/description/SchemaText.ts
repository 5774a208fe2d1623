/** From the JSON Schema that was generated to the one that partners read: true limits, clean names, nothing closed. */
import { keywords } from "../Documented.ts"
import { type Json, type JsonSchema, mapValues } from "./Document.ts"

type Parts = Readonly<Record<string, Json>>

const isRecord = (value: unknown): value is Parts =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const reference = /^#\/components\/schemas\//

/** The encoded side of a class is what travels: it alone has a name here. */
export const cleanName = (name: string): string => name.replace(/Encoded$/, "")

/** Everything in a document, schemas and what holds them, with references under their clean names. */
export const cleaned = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(cleaned)
  return isRecord(value) ? opened(flattened(mapValues(value, inner))) : value
}

/** Values that are shown are left as they are, and below `properties` every key is a name. */
const inner = (value: Json, key: string): Json => {
  if (key === "examples" || key === "default" || key === "enum") return value
  if (key === "properties" && isRecord(value)) return mapValues(value, cleaned)
  if (key === "$ref" && typeof value === "string" && reference.test(value)) return cleanName(value)
  return cleaned(value)
}

/** Where a check by a regular expression says so in words: Effect leaves patterns out of what it generates. */
export const constraint = "expected"

/** Without its flags, of which JSON Schema knows none: spell out both cases in a pattern that takes both. */
const patternOf = (expected: Json | undefined): Parts => {
  const pattern =
    typeof expected === "string" ? /^a string matching the RegExp ([\s\S]+)$/.exec(expected)?.[1] : undefined
  return pattern === undefined ? {} : { pattern }
}

/** What several checks of one value say stands in one place, and what is documented beyond them is laid over it. */
const flattened = (schema: Parts): Parts => {
  const { allOf, ...rest } = schema
  const parts = Array.isArray(allOf) ? allOf.filter(isRecord) : []
  const fits = parts.every((part) => Object.keys(part).every((key) => !(key in rest)))
  const merged: Parts = fits ? Object.assign({}, rest, ...parts) : schema
  const { [keywords]: documented, [constraint]: checked, ...plain } = merged
  return { ...plain, ...patternOf(checked), ...(isRecord(documented) ? documented : {}) }
}

/** Further fields are ignored in requests and may come in answers, so no object is closed; and every integer is a safe one. */
const opened = (schema: Parts): Parts =>
  Object.fromEntries(
    Object.entries(schema).filter(
      ([key, value]) =>
        !(
          key === "additionalProperties" &&
          (value === false || (isRecord(value) && Object.keys(value).length === 0))
        ) &&
        !(key === "maximum" && value === Number.MAX_SAFE_INTEGER) &&
        !(key === "minimum" && value === Number.MIN_SAFE_INTEGER)
    )
  )

/** A schema behind its reference. */
export const resolve = (schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  schema.$ref === undefined ? schema : (schemas[schema.$ref.replace(reference, "")] ?? schema)
