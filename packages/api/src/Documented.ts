/**
 * Adds annotations to schemas, for details of the API description that Effect cannot derive: patterns and the real
 * types of query parameters.
 */
import * as Schema from "effect/Schema"

/** The name of an annotation whose JSON Schema keywords override the generated keywords. */
export const schemaKeywordsAnnotation = "x-keywords"

interface Words<Example> {
  readonly description: string
  readonly example: Example
}

/**
 * Documents a query parameter. The schema accepts any text, so that the service can report all problems in one
 * response. `truth` is the JSON Schema that the API description shows for the parameter.
 */
const parameter = (description: string, example: unknown, truth: Schema.JsonObject) =>
  Schema.optionalKey(
    Schema.String.annotate({
      description,
      examples: [String(example)],
      [schemaKeywordsAnnotation]: { ...truth, examples: [example] }
    })
  )

export const documentIntegerParameter = ({
  description,
  example,
  ...bounds
}: Words<number> & { readonly minimum: number; readonly maximum: number; readonly default?: number }) =>
  parameter(description, example, { type: "integer", ...bounds })

export const makeLiteralParameter = <const Literal extends string>(
  literals: ReadonlyArray<Literal>,
  { description, example }: Words<Literal>
) => parameter(description, example, { type: "string", enum: [...literals] })

export const makeTextParameter = ({
  description,
  example,
  ...limits
}: Words<string> & {
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
}) => parameter(description, example, { type: "string", ...limits })

/** Returns a string schema with a description and an example. */
export const makeTextSchema = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example] })

export const makeUrlSchema = (description: string, example: string) =>
  Schema.String.annotate({ format: "uri", description, examples: [example] })

export const eventStreamContentType = "text/event-stream"

/**
 * Describes an event stream by the schema of its data, so that client generators can generate typed events. Before
 * version 3.2, OpenAPI has no keyword for the schema of a stream's events.
 */
export const addEventStreamSchema =
  (schema: string) =>
  <Operation extends object>(operation: Operation): Operation => {
    const { responses } = operation as unknown as { readonly responses: Readonly<Record<string, object>> }
    const content = { [eventStreamContentType]: { schema: { $ref: `#/components/schemas/${schema}` } } }
    return { ...operation, responses: { ...responses, 200: { ...responses["200"], content } } }
  }

/** Marks the request body as optional, because the generated description requires every body. */
export const makeBodyOptional = <Operation extends object>(operation: Operation): Operation => ({
  ...operation,
  requestBody: { ...(operation as { readonly requestBody?: object }).requestBody, required: false }
})
