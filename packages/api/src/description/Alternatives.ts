/**
 * Adds discriminators to alternatives of object schemas, so that generated clients can distinguish the alternatives.
 */
import { type JsonSchema, type JsonValue, mapValues } from "./Document.ts"
import { resolveSchema } from "./SchemaText.ts"

type Schemas = Readonly<Record<string, JsonSchema>>

/**
 * Adds a discriminator to each list of alternatives in a part of the document, if a constant property distinguishes the
 * alternatives.
 */
export const addDiscriminators = <Part>(part: Part, schemas: Schemas): Part => {
  const visit = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(visit)
    if (typeof value !== "object" || value === null) return value
    return alternatives(mapValues(value as Readonly<Record<string, JsonValue>>, visit), schemas)
  }
  return visit(part as JsonValue) as Part
}

const alternatives = (part: Readonly<Record<string, JsonValue>>, schemas: Schemas): JsonValue => {
  const { anyOf, ...rest } = part
  const all = (Array.isArray(anyOf) ? anyOf : []) as ReadonlyArray<JsonSchema>
  const propertyName = propertyOf(all, schemas)
  if (propertyName === undefined) return part
  const mapping = all.map((one) => [valueOf(resolveSchema(one, schemas), propertyName), one.$ref])
  return { ...rest, oneOf: anyOf ?? [], discriminator: { propertyName, mapping: Object.fromEntries(mapping) } }
}

/** Returns the required property that has a different constant value in each of the alternatives. */
const propertyOf = (alternatives: ReadonlyArray<JsonSchema>, schemas: Schemas): string | undefined => {
  if (alternatives.length < 2 || alternatives.some(({ $ref }) => $ref === undefined)) return undefined
  const all = alternatives.map((one) => resolveSchema(one, schemas))
  return all[0]?.required?.find((name) => {
    const values = all.flatMap((one) => (one.required?.includes(name) ? [valueOf(one, name) ?? []].flat() : []))
    return new Set(values).size === all.length
  })
}

const valueOf = ({ properties }: JsonSchema, name: string): string | undefined => {
  const values = properties?.[name]?.enum
  return values?.length === 1 ? String(values[0]) : undefined
}
