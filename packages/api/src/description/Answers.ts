/** What an operation answers: its result with an example, and each error code with its meaning and a whole body. */
import { type Code, type Guide, guide } from "../ErrorGuide.ts"
import * as Errors from "../Errors.ts"
import { type Example, type Json, type JsonSchema, json, type Media, mapValues, type Response } from "./Document.ts"
import { exampleOf } from "./ExampleValue.ts"
import { headersOf } from "./Headers.ts"
import { resolve } from "./SchemaText.ts"

export interface Setting {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly summary: string | undefined
  readonly replays: boolean
  /** Errors that this operation shows in place of the general ones. */
  readonly shown: ReadonlyMap<string, Errors.WireError>
}

export const answers = (responses: Readonly<Record<string, Response>>, setting: Setting): Record<string, Response> =>
  mapValues(responses, (response, status) => ({
    ...(Number(status) < 400 ? success(response, setting) : failure(response, setting)),
    headers: { ...titled(response.headers), ...headersOf(status, setting.replays) }
  }))

/** As headers are usually spelled. */
export const headerName = (name: string): string => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())

const titled = (headers: Response["headers"] = {}): NonNullable<Response["headers"]> =>
  Object.fromEntries(Object.entries(headers).map(([name, header]) => [headerName(name), header]))

const success = (response: Response, { schemas, summary }: Setting): Response => {
  const schema = response.content?.[json]?.schema
  if (schema === undefined) return response
  const whole = resolve(schema, schemas)
  const data = whole.properties?.["data"]
  const described = whole.description ?? (data && (data.description ?? resolve(data, schemas).description))
  return {
    ...response,
    description: described ?? summary ?? response.description,
    content: withJson(response, withExample(schema, exampleOf(schema, schemas)))
  }
}

const withExample = (schema: JsonSchema, example: Json | undefined): Media =>
  example === undefined ? { schema } : { schema, example }

const withJson = (response: Response, media: Media) => ({ ...response.content, [json]: media })

const failure = (response: Response, { schemas, shown }: Setting): Response => {
  const schema = response.content?.[json]?.schema
  if (schema === undefined) return response
  const errors = (schema.anyOf ?? [schema]).map((one) => {
    const error = resolve(one, schemas)
    return { error, code: codeOf(error) }
  })
  const told = errors.map(({ error, code }) => `- \`${code}\`: ${error.description ?? ""}`)
  const examples = errors.flatMap(({ code, error }): Array<[string, Example]> => {
    const value = shown.get(code) ?? entryOf(code)?.example
    return value === undefined ? [] : [[code, { summary: error.description ?? code, value: bodyOf(value) }]]
  })
  return {
    ...response,
    description: told.length === 1 ? (errors[0]?.error.description ?? response.description) : told.join("\n"),
    content: withJson(response, { schema, examples: Object.fromEntries(examples) })
  }
}

/** The code of an error's schema. */
export const codeOf = ({ properties }: JsonSchema): string =>
  String(properties?.["error"]?.properties?.["code"]?.enum?.[0] ?? "")

const isCode = (code: string): code is Code => code in Errors.statusOf

const entryOf = (code: string): Guide | undefined => (isCode(code) ? guide[code] : undefined)

const bodyOf = ({ error, success }: Errors.WireError): Json => ({ success, error }) as unknown as Json
