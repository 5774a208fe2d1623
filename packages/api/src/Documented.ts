/** Annotations for the API description that Effect cannot derive: patterns, and the real types of parameters. */
import * as Schema from "effect/Schema"

/** Annotation with JSON Schema keywords that override the generated ones. */
export const keywords = "x-keywords"

interface Words<Example> {
  readonly description: string
  readonly example: Example
}

/**
 * Parameters are decoded as text, because the service reports all problems at once. `truth` is the real type of the
 * parameter, for the description.
 */
const parameter = (description: string, example: unknown, truth: Schema.JsonObject) =>
  Schema.optionalKey(
    Schema.String.annotate({ description, examples: [String(example)], [keywords]: { ...truth, examples: [example] } })
  )

export const integerParameter = ({
  description,
  example,
  ...bounds
}: Words<number> & { readonly minimum: number; readonly maximum: number; readonly default?: number }) =>
  parameter(description, example, { type: "integer", ...bounds })

export const literalParameter = <const Literal extends string>(
  literals: ReadonlyArray<Literal>,
  { description, example }: Words<Literal>
) => parameter(description, example, { type: "string", enum: [...literals] })

export const textParameter = ({
  description,
  example,
  ...limits
}: Words<string> & {
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
}) => parameter(description, example, { type: "string", ...limits })

/** Documents a string with a description and an example. */
export const text = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example] })

export const address = (description: string, example: string) =>
  Schema.String.annotate({ format: "uri", description, examples: [example] })

export const eventStream = "text/event-stream"

/**
 * Describes a stream of server-sent events by the schema of their data, from which generators make typed events. Until
 * version 3.2, OpenAPI has no other place for it.
 */
export const streamOf =
  (schema: string) =>
  <Operation extends object>(operation: Operation): Operation => {
    const { responses } = operation as unknown as { readonly responses: Readonly<Record<string, object>> }
    const content = { [eventStream]: { schema: { $ref: `#/components/schemas/${schema}` } } }
    return { ...operation, responses: { ...responses, 200: { ...responses["200"], content } } }
  }

/** Marks an optional body, because the generated description requires every body. */
export const bodyOptional = <Operation extends object>(operation: Operation): Operation => ({
  ...operation,
  requestBody: { ...(operation as { readonly requestBody?: object }).requestBody, required: false }
})
