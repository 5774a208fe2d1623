/** Whether an answer is one that the description allows: its status, its headers, its body. */
import Ajv2020 from "ajv/dist/2020.js"
import type { ValidateFunction } from "ajv/dist/types/index.js"
import addFormats from "ajv-formats"
import type { Document, JsonSchema, Operation } from "./Description.ts"

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface Judge {
  /** Sentences about what is wrong; none when all is right. */
  readonly judge: (operation: Operation, answer: Answered) => ReadonlyArray<string>
  /** Whether the schema allows the value. */
  readonly allows: (schema: JsonSchema, value: unknown) => boolean
}

export const make = (document: Document): Judge => {
  const ajv = new Ajv2020.default({ strict: false, allErrors: true, validateFormats: true })
  addFormats.default(ajv)
  ajv.addSchema({ $id: "openapi", components: document.components })
  const compiled = new Map<JsonSchema, ValidateFunction>()

  /** References of the document are references into what ajv was given. */
  const rebased = (schema: unknown): unknown =>
    JSON.parse(JSON.stringify(schema), (key, value) =>
      key === "$ref" && typeof value === "string" && value.startsWith("#/") ? `openapi${value}` : value
    )

  const validator = (schema: JsonSchema): ValidateFunction => {
    const known = compiled.get(schema)
    if (known !== undefined) return known
    const made = ajv.compile(rebased(schema) as object)
    compiled.set(schema, made)
    return made
  }

  const wrong = (schema: JsonSchema, value: unknown): string | undefined => {
    const validate = validator(schema)
    return validate(value) ? undefined : ajv.errorsText(validate.errors)
  }

  const headerProblems = (operation: Operation, { headers, status }: Answered) =>
    Object.entries(operation.responses[status]?.headers ?? {}).flatMap(([name, { required, schema }]) => {
      const given = headers.get(name)
      if (given === null) return required === true ? [`the header ${name} is missing`] : []
      const type = schema["type"]
      const value = (type === "integer" || type === "number") && /^-?\d+(\.\d+)?$/.test(given) ? Number(given) : given
      const why = wrong(schema, type === "boolean" ? given === "true" : value)
      return why === undefined ? [] : [`the header ${name}: ${given} is wrong: ${why}`]
    })

  const bodyProblems = (operation: Operation, { headers, status, text }: Answered) => {
    const type = (headers.get("content-type") ?? "").split(";")[0] ?? ""
    const described = operation.responses[status]?.content?.[type]
    if (described === undefined) return [`a body of type ${type || "none"} is not described`]
    try {
      const why = wrong(described.schema, JSON.parse(text))
      return why === undefined ? [] : [`the body is wrong: ${why}`]
    } catch {
      return ["the body is not JSON"]
    }
  }

  return {
    allows: (schema, value) => wrong(schema, value) === undefined,
    judge: (operation, answer) => {
      if (answer.status >= 500) return [`the server failed: ${answer.text.slice(0, 300)}`]
      if (operation.responses[answer.status] === undefined) return [`the status ${answer.status} is not described`]
      return [...headerProblems(operation, answer), ...bodyProblems(operation, answer)]
    }
  }
}
