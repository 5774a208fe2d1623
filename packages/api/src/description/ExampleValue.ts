/** Builds an example for a schema from the examples of the schema's parts. */
import type { JsonSchema, JsonValue } from "./Document.ts"
import { resolveSchema } from "./SchemaText.ts"

type Schemas = Readonly<Record<string, JsonSchema>>

/**
 * Returns the first example of the schema. A schema without its own example gets an example from the parts; undefined
 * if no part has an example.
 */
export const exampleOf = (given: JsonSchema, schemas: Schemas): JsonValue | undefined => {
  const schema = resolveSchema(given, schemas)
  const { anyOf, examples, items, oneOf, properties } = schema
  if (examples !== undefined) return examples[0]
  if (schema.enum !== undefined) return schema.enum[0]
  if (properties !== undefined) {
    return Object.fromEntries(
      Object.entries(properties).flatMap(([name, property]): Array<[string, JsonValue]> => {
        const value = exampleOf(property, schemas)
        return value === undefined ? [] : [[name, value]]
      })
    )
  }
  if (items !== undefined) {
    const item = exampleOf(items, schemas)
    return item === undefined ? undefined : [item]
  }
  for (const one of anyOf ?? oneOf ?? []) {
    const value = exampleOf(one, schemas)
    if (value !== undefined) return value
  }
  return schema.type === "null" ? null : undefined
}
