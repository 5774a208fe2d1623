/** Translates JSON schemas of the description into Python types. Inline objects become separate classes. */
import type { JsonSchema } from "@partner-commentary/api/description/Document"

/** For example, `createTopic` becomes `create_topic`, and `from` becomes `from_`. */
export const toSnakeCase = (name: string): string => {
  const text = name
    .replace(/[a-z0-9](?=[A-Z])/g, "$&_")
    .replace(/\W+/g, "_")
    .toLowerCase()
  return keyword.test(text) ? `${text}_` : text
}

const keyword = /^(?:and|as|async|class|def|from|global|import|in|is|not|or|pass)$/

export const toPascalCase = (name: string): string =>
  name.replace(/(?:^|[^A-Za-z0-9]+)([a-z0-9])/gi, (_, letter) => letter.toUpperCase())

const primitives: Readonly<Record<string, string>> = {
  boolean: "bool",
  integer: "int",
  null: "None",
  number: "float",
  string: "str"
}

/** Returns the last part of a reference such as `#/components/schemas/Topic`. */
export const referencedName = (reference: string): string => reference.split("/").at(-1) ?? ""

/** Defines how a generated module refers to models and to unnamed object types. */
export interface TypeNameResolver {
  /** Receives a schema of an object type without a name, and returns the name of the generated class. */
  readonly inline: (schema: JsonSchema) => string
  /** The prefix before the names of models, such as `models.` in another module. */
  readonly scope: string
  /** The name of Python's type `list`, or its alias if the class has a method `list`. */
  readonly list: string
}

export const toPythonType = (schema: JsonSchema, names: TypeNameResolver): string => {
  const { $ref, additionalProperties, anyOf, enum: values, items, oneOf, properties, type } = schema
  if ($ref !== undefined) return `${names.scope}${referencedName($ref)}`
  const parts = anyOf ?? oneOf
  if (parts !== undefined) return [...new Set(parts.map((part) => toPythonType(part, names)))].join(" | ")
  if (values !== undefined) return `Literal[${values.map(literal).join(", ")}]`
  if (type === "array") return `${names.list}[${items === undefined ? "Any" : toPythonType(items, names)}]`
  if (properties !== undefined) return names.inline(schema)
  if (type === "object") {
    return `dict[str, ${typeof additionalProperties === "object" ? toPythonType(additionalProperties, names) : "Any"}]`
  }
  return primitives[type ?? ""] ?? "Any"
}

/** Returns a Python literal. */
const literal = (value: unknown): string =>
  typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value)
