/** Converts generated JSON Schemas to the published form: real limits, clean names, open objects. */
import { keywords } from "../Documented.ts"
import { type Json, type JsonSchema, mapValues } from "./Document.ts"

type Parts = Readonly<Record<string, Json>>

const isRecord = (value: unknown): value is Parts =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const reference = /^#\/components\/schemas\//

/** Only the encoded side of a class is on the wire, so that side gets the plain name. */
export const cleanName = (name: string): string => name.replace(/Encoded$/, "")

/** Cleans all schemas and references in a part of the document. */
export const cleaned = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(cleaned)
  return isRecord(value) ? opened(flattened(mapValues(value, inner))) : value
}

/** The function leaves example values unchanged, and treats keys below `properties` as names. */
const inner = (value: Json, key: string): Json => {
  if (key === "examples" || key === "default" || key === "enum") return value
  if (key === "properties" && isRecord(value)) return mapValues(value, cleaned)
  if (key === "$ref" && typeof value === "string" && reference.test(value)) return cleanName(value)
  return cleaned(value)
}

/** The annotation that describes a pattern, because Effect omits patterns. */
export const constraint = "expected"

/** JSON Schema has no flags, so a case-insensitive pattern must spell out both cases. */
const patternOf = (expected: Json | undefined): Parts => {
  const pattern =
    typeof expected === "string" ? /^a string matching the RegExp ([\s\S]+)$/.exec(expected)?.[1] : undefined
  return pattern === undefined ? {} : { pattern }
}

/** Merges several checks of one value into one schema, then adds the documented keywords. */
const flattened = (schema: Parts): Parts => {
  const { allOf, ...rest } = schema
  const parts = Array.isArray(allOf) ? allOf.filter(isRecord) : []
  const fits = parts.every((part) => Object.keys(part).every((key) => !(key in rest)))
  const merged: Parts = fits ? Object.assign({}, rest, ...parts) : schema
  const { [keywords]: documented, [constraint]: checked, ...plain } = merged
  return { ...plain, ...patternOf(checked), ...(isRecord(documented) ? documented : {}) }
}

/**
 * No object schema is closed, because requests may have unknown fields and responses may gain fields. Integers are
 * limited to those that JavaScript represents exactly.
 */
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

/** Returns the schema to which a reference points. */
export const resolve = (schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  schema.$ref === undefined ? schema : (schemas[schema.$ref.replace(reference, "")] ?? schema)
