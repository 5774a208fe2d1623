/** Generates `models.py`: a TypedDict for each schema of the description. */
import type { JsonSchema, OpenApiDocument } from "@partner-commentary/api/description/Document"
import { wrapText } from "../../../scripts/Generated.ts"
import { toPascalCase, toPythonType } from "./PythonTypes.ts"

const head = `"""Types of requests and responses. Generated from docs/openapi.json: npm run describe."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, Union
`

/** Returns the lines of a docstring. Characters that would end the docstring are replaced. */
export const renderDocstring = (text: string | undefined, indent: string): ReadonlyArray<string> => {
  if (text === undefined) return []
  const lines = wrapText(text.replaceAll("\\", "\\\\").replaceAll('"""', "'''"), indent)
  return lines.length === 1 && !lines[0]?.endsWith('"')
    ? [`${indent}"""${lines[0]}"""`]
    : [`${indent}"""${lines[0]}`, ...lines.slice(1), `${indent}"""`]
}

const isClass = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name)

const classOf = (name: string, schema: JsonSchema): ReadonlyArray<string> => {
  const inner: Array<string> = []
  const required = new Set(schema.required)
  const fields = Object.entries(schema.properties ?? {}).flatMap(([field, of]) => {
    if (!isClass(field)) throw new Error(`${name}.${field} is no name of a Python class's field`)
    const inline = (schema: JsonSchema) => {
      const own = `${name}${toPascalCase(field)}`
      inner.push(...classOf(own, schema))
      return own
    }
    const type = toPythonType(of, { inline, scope: "", list: "list" })
    return [
      `    ${field}: ${required.has(field) ? type : `NotRequired[${type}]`}`,
      ...renderDocstring(of.description, "    ")
    ]
  })
  return [
    ...inner,
    "",
    "",
    `class ${name}(TypedDict):`,
    ...renderDocstring(schema.description, "    "),
    ...(schema.description === undefined ? [] : [""]),
    ...(fields.length === 0 ? ["    pass"] : fields)
  ]
}

/** Python evaluates a union when the module is imported, so the members of the union must be defined first. */
const unionOf = (name: string, { description, oneOf = [] }: JsonSchema): ReadonlyArray<string> => [
  "",
  "",
  `${name} = Union[${oneOf.map((part) => toPythonType(part, { inline: () => "Any", scope: "", list: "list" })).join(", ")}]`,
  ...renderDocstring(description, "")
]

export const renderModelsModule = ({ components }: OpenApiDocument): string => {
  const all = Object.entries(components.schemas)
  const unions = all.filter(([, { oneOf }]) => oneOf !== undefined)
  const classes = all.filter(([, { oneOf }]) => oneOf === undefined)
  const lines = [
    ...classes.flatMap(([name, schema]) => classOf(name, schema)),
    ...unions.flatMap(([name, schema]) => unionOf(name, schema))
  ]
  return `${head}${lines.join("\n")}\n`
}
