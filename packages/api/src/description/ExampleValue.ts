/** Builds an example for a schema from the examples of the schema's parts. */
import type { JsonSchema, JsonValue } from "./Document.ts"
import { resolveSchema } from "./SchemaText.ts"

type Schemas = Readonly<Record<string, JsonSchema>>

/**
 * Returns the first example of the schema. If the schema has no example, builds an example from the examples of its
 * parts. Returns undefined if no part has an example.
 */
export const findExample = (given: JsonSchema, schemas: Schemas): JsonValue | undefined => {
  const schema = resolveSchema(given, schemas)
  const { anyOf, examples, items, oneOf, properties } = schema
  if (examples !== undefined) return examples[0]
  if (schema.enum !== undefined) return schema.enum[0]
  if (properties !== undefined) {
    return Object.fromEntries(
      Object.entries(properties).flatMap(([name, property]): Array<[string, JsonValue]> => {
        const value = findExample(property, schemas)
        return value === undefined ? [] : [[name, value]]
      })
    )
  }
  if (items !== undefined) {
    const item = findExample(items, schemas)
    return item === undefined ? undefined : [item]
  }
  for (const one of anyOf ?? oneOf ?? []) {
    const value = findExample(one, schemas)
    if (value !== undefined) return value
  }
  return schema.type === "null" ? null : undefined
}
