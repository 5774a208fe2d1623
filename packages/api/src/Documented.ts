/** What a schema says in the description of the API beyond what it checks: patterns, and the true types of parameters. */
import * as Schema from "effect/Schema"

/** The annotation whose JSON Schema keywords are laid over what was generated. */
export const keywords = "x-keywords"

interface Words<Example> {
  readonly description: string
  readonly example: Example
}

/** Parameters arrive as text and are judged by the service, which says all that is wrong at once; this is what they must be. */
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

/** A text with the words that describe it. */
export const text = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example] })

export const address = (description: string, example: string) =>
  Schema.String.annotate({ format: "uri", description, examples: [example] })

/** Of an operation whose body may be left out: what is derived from the contract asks for every body that there is. */
export const bodyOptional = <Operation extends object>(operation: Operation): Operation => ({
  ...operation,
  requestBody: { ...(operation as { readonly requestBody?: object }).requestBody, required: false }
})
