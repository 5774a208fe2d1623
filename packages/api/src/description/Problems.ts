/** Builds an example of the error `invalid_request` for an operation, in the same words as the service. */
import type { RequestProblem } from "../Errors.ts"
import { type JsonSchema, jsonContentType, type Operation, type Parameter } from "./Document.ts"
import { resolveSchema } from "./SchemaText.ts"

type Schemas = Readonly<Record<string, JsonSchema>>

export const makeExampleProblem = (
  { requestBody }: Pick<Operation, "requestBody">,
  parameters: ReadonlyArray<Parameter>,
  schemas: Schemas
): RequestProblem | undefined => {
  const body = requestBody?.content[jsonContentType]
  if (body !== undefined) {
    const [field] = resolveSchema(body.schema, schemas).required ?? []
    return field === undefined
      ? { field: "body", constraint: "must be a JSON object" }
      : { field, constraint: "is required" }
  }
  for (const { name, schema } of parameters.filter((one) => one.in === "query")) {
    const { enum: literals, maximum, minimum, type } = schema
    if (type === "integer" && minimum !== undefined && maximum !== undefined) {
      return { field: name, constraint: `must be an integer from ${minimum} to ${maximum}` }
    }
    if (literals !== undefined) return { field: name, constraint: `must be one of ${literals.join(", ")}` }
  }
  return undefined
}

/**
 * Returns the message of a 404 response. The message names the resource that precedes the last parameter of the path.
 */
export const makeNotFoundMessage = (path: string): string | undefined => {
  const noun = /\/([a-z-]+)\/\{\w+\}(?!.*\{)/.exec(path)?.[1]
  if (noun === undefined) return undefined
  const words = noun.replace(/ies$/, "y").replace(/s$/, "").replaceAll("-", " ")
  return `${words.charAt(0).toUpperCase()}${words.slice(1).replace(/^pi /, "PI ")} not found.`
}
