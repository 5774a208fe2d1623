/**
 * Generates values for a JSON schema of the OpenAPI document: allowed values, and values just inside or outside of the
 * schema's limits.
 */
import * as fc from "fast-check"
import { type JsonSchema, type OpenApiDocument, resolveReference } from "./Description.ts"

/**
 * The distance of a value to the schema's limits. `within` stays inside of the schema's limits, and `around` sometimes
 * crosses these limits.
 */
export type ValueGenerationMode = "within" | "around"

const offsets = fc.constantFrom("Z", "Z", "z", "+00:00", "+05:30", "-11:00", "+14:00")
const fractions = fc.constantFrom("", ".5", ".123", ".123456789")

const timestamp = fc
  .tuple(fc.date({ min: new Date("2020-01-01"), max: new Date("2040-01-01"), noInvalidDate: true }), fractions, offsets)
  .map(([date, fraction, offset]) => `${date.toISOString().slice(0, 19)}${fraction}${offset}`)

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.oneof(
    fc.uuid(),
    fc.uuid().map((id) => id.toUpperCase())
  ),
  "date-time": timestamp,
  uri: fc
    .tuple(fc.webUrl({ validSchemes: ["https"], withQueryParameters: true }), fc.constantFrom("", ":8443", ":443"))
    .map(([url, port]) => url.replace(/^(https:\/\/[^/?]+)/, `$1${port}`))
}

/**
 * One sample for each entry of `formats`, in the same order. If a pattern matches the sample of a format, the pattern
 * probably matches other values of this format too.
 */
const samples = ["019c0d52-1f0a-7000-8000-5b1e6a2d9c41", "2027-01-30T12:00:00Z", "https://example.com/a?b=c"]

const letter = fc.constantFrom("a", "Z", "é", "ß", "漢", "😀", "0", "-", ".", " ", "٣", "'", '"', "\\", "<", "&", "\t")

/** Characters that every schema allows but people rarely type. */
const strange = fc.constantFrom("\u0007", "\u200b", "\u3164", "\u2028", "\u202e", "\ufeff", "\u0000", "\n")

/** Caches the text generator of each regular expression, because parsing is slow and there are few expressions. */
const patterns = new Map<string, fc.Arbitrary<string>>()

const matching = (pattern: string, maxLength: number): fc.Arbitrary<string> => {
  const known = patterns.get(`${pattern} ${maxLength}`)
  if (known !== undefined) return known
  // fast-check cannot generate text for a pattern with lookaheads. This code removes the lookaheads from the pattern,
  // and filters the generated texts by the whole pattern.
  const whole = new RegExp(pattern, "u")
  const plain = new RegExp(pattern.replace(/\(\?!(\\.|\[[^\]]*\]|[^)\\])*\)/g, ""), "u")
  const likely = Object.values(formats).map((known) => known.filter((value) => whole.test(value)))
  const made = fc.oneof(
    { weight: 1, arbitrary: fc.stringMatching(plain, { maxLength }).filter((value) => whole.test(value)) },
    ...likely.filter((_, index) => whole.test(samples[index] ?? "")).map((arbitrary) => ({ weight: 6, arbitrary }))
  )
  patterns.set(`${pattern} ${maxLength}`, made)
  return made
}

const text = (schema: JsonSchema, aim: ValueGenerationMode): fc.Arbitrary<string> => {
  const format = formats[String(schema["format"])]
  if (format !== undefined && schema["pattern"] === undefined) return format
  const min = Number(schema["minLength"] ?? 0)
  const max = Number(schema["maxLength"] ?? min + 40)
  if (typeof schema["pattern"] === "string") return matching(schema["pattern"], Math.min(max, 300))
  const fits = (value: string) => [...value].length >= min && [...value].length <= max
  const free = fc.string({ unit: "grapheme", minLength: min, maxLength: Math.min(max, min + 60) }).filter(fits)
  const edges = aim === "within" ? [min, max] : [min - 1, min, max, max + 1]
  const long = fc
    .tuple(letter, letter, fc.constantFrom(...edges))
    .map(([first, rest, length]) => (length < 1 ? "" : first + rest.repeat(Math.min(length, 5000) - 1)))
  const odd = fc.tuple(fc.array(strange, { maxLength: 3 }), free).map(([some, rest]) => some.join("") + rest)
  return fc.oneof(
    { weight: 6, arbitrary: free },
    { weight: 2, arbitrary: long },
    { weight: 1, arbitrary: odd.filter(fits) },
    { weight: 1, arbitrary: strange.map((one) => one.repeat(Math.max(1, min))) }
  )
}

const number = (schema: JsonSchema, integer: boolean, aim: ValueGenerationMode): fc.Arbitrary<number> => {
  const min = Number(schema["minimum"] ?? -1000)
  const max = Number(schema["maximum"] ?? min + 100_000)
  const usual = integer ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true, noDefaultInfinity: true })
  const edges = aim === "within" ? [min, max] : [min - 1, min, min + 0.5, max, max + 1, -max, 2 ** 53, 1e21]
  return fc.oneof(usual, fc.constantFrom(...edges))
}

/** Generates values that the schema allows (sometimes its examples), or values around the schema's limits. */
export const arbitrarySchemaValues = (
  document: OpenApiDocument,
  given: JsonSchema,
  aim: ValueGenerationMode,
  depth = 0
): fc.Arbitrary<unknown> => {
  const schema: JsonSchema = resolveReference(document, given)
  const plain = arbitraryFromKeywords(document, schema, aim, depth)
  const examples = (schema["examples"] as ReadonlyArray<unknown> | undefined) ?? []
  return examples.length === 0
    ? plain
    : fc.oneof(
        { weight: isFree(schema) ? 12 : 1, arbitrary: fc.constantFrom(...examples) },
        { weight: 4, arbitrary: plain }
      )
}

/** Returns whether a text schema has no limiting keyword, so that only the schema's examples show valid values. */
const isFree = (schema: JsonSchema): boolean =>
  schema["type"] === "string" && !["enum", "format", "pattern", "minLength"].some((keyword) => keyword in schema)

const arbitraryFromKeywords = (
  document: OpenApiDocument,
  schema: JsonSchema,
  aim: ValueGenerationMode,
  depth: number
): fc.Arbitrary<unknown> => {
  const inner = (one: JsonSchema) => arbitrarySchemaValues(document, one, aim, depth + 1)
  if ("const" in schema) return fc.constant(schema["const"])
  if (Array.isArray(schema["enum"])) {
    const wrong = aim === "within" ? [] : schema["enum"].map((one) => String(one).toUpperCase())
    return fc.constantFrom(...schema["enum"], ...wrong.slice(0, 1))
  }
  for (const keyword of ["anyOf", "oneOf"]) {
    const choices = schema[keyword] as ReadonlyArray<JsonSchema> | undefined
    if (choices !== undefined) return fc.oneof(...choices.map(inner))
  }
  if (Array.isArray(schema["allOf"])) {
    const parts = (schema["allOf"] as ReadonlyArray<JsonSchema>).map((part) => resolveReference(document, part))
    return arbitraryFromKeywords(document, Object.assign({}, schema, ...parts, { allOf: undefined }), aim, depth)
  }
  const types = [schema["type"] ?? (schema["properties"] === undefined ? "any" : "object")].flat() as Array<string>
  return fc.oneof(...types.map((type) => ofType(document, schema, type, aim, depth)))
}

const ofType = (
  document: OpenApiDocument,
  schema: JsonSchema,
  type: string,
  aim: ValueGenerationMode,
  depth: number
): fc.Arbitrary<unknown> => {
  switch (type) {
    case "string":
      return text(schema, aim)
    case "integer":
    case "number":
      return number(schema, type === "integer", aim)
    case "boolean":
      return fc.boolean()
    case "null":
      return fc.constant(null)
    case "array":
      return list(document, schema, aim, depth)
    case "object":
      return object(document, schema, aim, depth)
    default:
      return depth > 4 ? fc.constant(0) : fc.jsonValue({ maxDepth: 2 })
  }
}

const list = (
  document: OpenApiDocument,
  schema: JsonSchema,
  aim: ValueGenerationMode,
  depth: number
): fc.Arbitrary<unknown> => {
  const items = arbitrarySchemaValues(document, (schema["items"] as JsonSchema | undefined) ?? {}, aim, depth + 1)
  const minLength = Number(schema["minItems"] ?? 0)
  const most = Number(schema["maxItems"] ?? minLength + 3)
  const maxLength = Math.min(most, minLength + 3)
  if (schema["uniqueItems"] === true && aim === "within") {
    return fc.uniqueArray(items, { minLength, maxLength, selector: (item) => JSON.stringify(item) })
  }
  const edges = aim === "within" ? [most] : [minLength - 1, most, most + 1]
  const full = fc
    .tuple(items, fc.constantFrom(...edges))
    .map(([item, length]) => Array.from({ length: Math.max(0, length) }, () => item))
  return fc.oneof({ weight: 20, arbitrary: fc.array(items, { minLength, maxLength }) }, { weight: 1, arbitrary: full })
}

const object = (
  document: OpenApiDocument,
  schema: JsonSchema,
  aim: ValueGenerationMode,
  depth: number
): fc.Arbitrary<unknown> => {
  const properties = (schema["properties"] as Readonly<Record<string, JsonSchema>> | undefined) ?? {}
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      arbitrarySchemaValues(document, property, aim, depth + 1)
    ])
  )
  const requiredKeys = ((schema["required"] as ReadonlyArray<string> | undefined) ?? []).filter((name) => name in model)
  const record = fc.record(model, { requiredKeys, noNullPrototype: true })
  // All schemas of the OpenAPI document allow unknown fields, which the service ignores or stores for the caller.
  const names = fc.string({ minLength: 1, maxLength: 12 }).filter((name) => name !== "__proto__" && !(name in model))
  const more = fc.dictionary(names, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3, noNullPrototype: true })
  const extended = fc.tuple(record, more).map(([known, other]) => ({ ...other, ...known }))
  return Object.keys(model).length === 0
    ? extended
    : fc.oneof({ weight: 5, arbitrary: record }, { weight: 1, arbitrary: extended })
}
