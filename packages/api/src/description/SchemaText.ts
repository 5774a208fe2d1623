/**
 * Converts Effect's generated JSON Schemas to the published form: with the documented limits, with names without
 * suffix, and with objects that allow additional properties.
 */
import { schemaKeywordsAnnotation } from "../Documented.ts"
import { type JsonSchema, type JsonValue, mapValues } from "./Document.ts"

type Parts = Readonly<Record<string, JsonValue>>

const isRecord = (value: unknown): value is Parts =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const reference = /^#\/components\/schemas\//

/**
 * Removes the suffix `Encoded` from a schema name, because only the encoded form of a class appears in requests and
 * responses.
 */
export const removeEncodedSuffix = (name: string): string => name.replace(/Encoded$/, "")

/** Converts all schemas and references in a part of the document to the published form. */
export const toPublishedSchemas = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(toPublishedSchemas)
  return isRecord(value) ? allowAdditionalProperties(mergeChecks(mapValues(value, convertProperty))) : value
}

/**
 * Converts one property of a schema. Example values stay unchanged, and the keys below `properties` are property names,
 * not keywords.
 */
const convertProperty = (value: JsonValue, key: string): JsonValue => {
  if (key === "examples" || key === "default" || key === "enum") return value
  if (key === "properties" && isRecord(value)) return mapValues(value, toPublishedSchemas)
  if (key === "$ref" && typeof value === "string" && reference.test(value)) return removeEncodedSuffix(value)
  return toPublishedSchemas(value)
}

/** The annotation that contains the text of a pattern. Effect omits patterns from the generated schemas. */
export const patternAnnotation = "expected"

/**
 * Extracts the pattern from the annotation. JSON Schema has no flags, so a case-insensitive pattern must contain both
 * cases.
 */
const extractPattern = (expected: JsonValue | undefined): Parts => {
  const pattern =
    typeof expected === "string" ? /^a string matching the RegExp ([\s\S]+)$/.exec(expected)?.[1] : undefined
  return pattern === undefined ? {} : { pattern }
}

/** Merges several checks of one value into one schema, and then adds the documented keywords. */
const mergeChecks = (schema: Parts): Parts => {
  const { allOf, ...rest } = schema
  const parts = Array.isArray(allOf) ? allOf.filter(isRecord) : []
  const fits = parts.every((part) => Object.keys(part).every((key) => !(key in rest)))
  const merged: Parts = fits ? Object.assign({}, rest, ...parts) : schema
  const { [schemaKeywordsAnnotation]: documented, [patternAnnotation]: checked, ...plain } = merged
  return { ...plain, ...extractPattern(checked), ...(isRecord(documented) ? documented : {}) }
}

/**
 * Allows additional properties in all objects, because requests may have unknown fields and responses may get new
 * fields. Removes integer limits that equal JavaScript's safe integer range.
 */
const allowAdditionalProperties = (schema: Parts): Parts =>
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

/** Returns the schema to which a reference points; other schemas stay unchanged. */
export const resolveSchema = (schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  schema.$ref === undefined ? schema : (schemas[schema.$ref.replace(reference, "")] ?? schema)
