/** Values for a JSON schema of the description: such as it allows, and such as it most likely does not. */
import * as fc from "fast-check"
import { type Document, type JsonSchema, resolve, type Untyped } from "./Description.ts"

const timestamp = fc
  .date({ min: new Date("2020-01-01"), max: new Date("2030-01-01"), noInvalidDate: true })
  .map((date) => date.toISOString())

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.uuid(),
  "date-time": timestamp,
  uri: fc.webUrl({ validSchemes: ["https"] }),
  email: fc.emailAddress(),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6()
}

const text = (schema: JsonSchema): fc.Arbitrary<string> => {
  const format = formats[String(schema["format"])]
  if (format !== undefined) return format
  const minLength = Number(schema["minLength"] ?? 0)
  const maxLength = Math.min(Number(schema["maxLength"] ?? minLength + 40), minLength + 600)
  const fits = (value: string) => [...value].length >= minLength && [...value].length <= maxLength
  if (typeof schema["pattern"] === "string") {
    return fc.stringMatching(new RegExp(schema["pattern"], "u"), { maxLength }).filter(fits)
  }
  return fc.string({ unit: "grapheme", minLength, maxLength }).filter(fits)
}

const number = (schema: JsonSchema, integer: boolean): fc.Arbitrary<number> => {
  const min = Number(schema["minimum"] ?? (schema["exclusiveMinimum"] as number | undefined) ?? -1000)
  const max = Number(schema["maximum"] ?? (schema["exclusiveMaximum"] as number | undefined) ?? min + 100_000)
  return integer ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true, noDefaultInfinity: true })
}

/** What the schema allows, its examples and its edges more often than the rest. */
export const allowed = (document: Document, given: JsonSchema, depth = 0): fc.Arbitrary<unknown> => {
  const schema: JsonSchema = resolve(document, given)
  const plain = unexampled(document, schema, depth)
  const examples = (schema["examples"] as ReadonlyArray<unknown> | undefined) ?? []
  return examples.length === 0
    ? plain
    : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...examples) }, { weight: 2, arbitrary: plain })
}

const unexampled = (document: Document, schema: JsonSchema, depth: number): fc.Arbitrary<unknown> => {
  const inner = (one: JsonSchema) => allowed(document, one, depth + 1)
  if ("const" in schema) return fc.constant(schema["const"])
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...schema["enum"])
  for (const keyword of ["anyOf", "oneOf"]) {
    const choices = schema[keyword] as ReadonlyArray<JsonSchema> | undefined
    if (choices !== undefined) return fc.oneof(...choices.map(inner))
  }
  if (Array.isArray(schema["allOf"])) {
    const parts = (schema["allOf"] as ReadonlyArray<JsonSchema>).map((part) => resolve(document, part))
    return unexampled(document, Object.assign({}, schema, ...parts, { allOf: undefined }), depth)
  }
  const types = [schema["type"] ?? (schema["properties"] === undefined ? "any" : "object")].flat() as Array<string>
  return fc.oneof(...types.map((type) => ofType(document, schema, type, depth)))
}

const ofType = (document: Document, schema: JsonSchema, type: string, depth: number): fc.Arbitrary<unknown> => {
  switch (type) {
    case "string":
      return text(schema)
    case "integer":
    case "number":
      return number(schema, type === "integer")
    case "boolean":
      return fc.boolean()
    case "null":
      return fc.constant(null)
    case "array": {
      const items = allowed(document, (schema["items"] as JsonSchema | undefined) ?? {}, depth + 1)
      const minLength = Number(schema["minItems"] ?? 0)
      const maxLength = Math.min(Number(schema["maxItems"] ?? minLength + 3), minLength + 3)
      return schema["uniqueItems"] === true
        ? fc.uniqueArray(items, { minLength, maxLength, selector: (item) => JSON.stringify(item) })
        : fc.array(items, { minLength, maxLength })
    }
    case "object":
      return object(document, schema, depth)
    default:
      return depth > 4 ? fc.constant(0) : fc.jsonValue({ maxDepth: 2 })
  }
}

const object = (document: Document, schema: JsonSchema, depth: number): fc.Arbitrary<unknown> => {
  const properties = (schema["properties"] as Readonly<Record<string, JsonSchema>> | undefined) ?? {}
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, allowed(document, property, depth + 1)])
  )
  const requiredKeys = ((schema["required"] as ReadonlyArray<string> | undefined) ?? []).filter((name) => name in model)
  const record = fc.record(model, { requiredKeys, noNullPrototype: true })
  const more = schema["additionalProperties"]
  if (more === false || (Object.keys(properties).length > 0 && more === undefined)) return record
  const values =
    typeof more === "object" ? allowed(document, more as JsonSchema, depth + 1) : fc.jsonValue({ maxDepth: 1 })
  const names = fc.string({ minLength: 1, maxLength: 12 }).filter((name) => name !== "__proto__" && !(name in model))
  return fc
    .tuple(record, fc.dictionary(names, values, { maxKeys: 3, noNullPrototype: true }))
    .map(([known, other]) => ({
      ...other,
      ...known
    }))
}

/** What hostile and careless callers send in place of something. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    "",
    " ",
    0,
    -1,
    1e308,
    2 ** 53,
    true,
    [],
    {},
    [[]],
    "null",
    "\u0000",
    "﻿",
    "../..",
    "%00"
  ),
  fc.constantFrom("x".repeat(5000), "😀".repeat(501), "-".repeat(257), "a\u0301".repeat(300)),
  fc.string({ unit: "binary", maxLength: 60 }).map((value) => value.toWellFormed()),
  fc.jsonValue({ maxDepth: 3 })
)

/** The value with one of its parts replaced by junk, left out, or joined by a part that nobody asked for. */
export const spoiled = (value: unknown): fc.Arbitrary<unknown> => {
  const places = placesIn(value)
  if (places.length === 0) return junk
  return fc
    .tuple(fc.constantFrom(...places), junk, fc.constantFrom("replace", "remove", "add"))
    .map(([path, bad, how]) => {
      const copy = structuredClone(value)
      const parent = path.slice(0, -1).reduce((at: Untyped, key) => at[key], copy as Untyped)
      const last = path.at(-1) as string
      if (how === "replace") parent[last] = bad
      else if (how === "add" && !Array.isArray(parent)) parent[`${last}_`] = bad
      else if (Array.isArray(parent)) parent.splice(Number(last), 1)
      else delete parent[last]
      return copy
    })
}

const placesIn = (value: unknown, at: ReadonlyArray<string> = []): Array<ReadonlyArray<string>> =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]) => [[...at, key], ...placesIn(inner, [...at, key])])
