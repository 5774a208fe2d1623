/** Checks that the OpenAPI document allows a response: its status, headers, body and error code. */
import Ajv2020 from "ajv/dist/2020.js"
import type { ValidateFunction } from "ajv/dist/types/index.js"
import addFormats from "ajv-formats"
import type { JsonSchema, OpenApiDocument, OpenApiOperation } from "./Description.ts"
import type { RawResponse } from "./RawHttp.ts"

export interface ResponseValidator {
  /** Returns one sentence for each fault. The result is empty if the response has no fault. */
  readonly judge: (operation: OpenApiOperation, answer: RawResponse) => ReadonlyArray<string>
  /** Returns the value's schema violation, or undefined if the schema allows the value. */
  readonly wrong: (schema: JsonSchema, value: unknown) => string | undefined
  /**
   * Returns the schema violations by their path in the value, such as `topics[3].content`. The path of the whole value
   * is `body`.
   */
  readonly wrongs: (schema: JsonSchema, value: unknown) => ReadonlyArray<readonly [string, string]>
}

/** The headers that, according to the OpenAPI document, every response has. */
const always = ["x-request-id", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"]

export const makeResponseValidator = (document: OpenApiDocument): ResponseValidator => {
  const ajv = new Ajv2020.default({
    strictSchema: true,
    strictTypes: false,
    strictRequired: false,
    allErrors: true,
    validateFormats: true
  })
  addFormats.default(ajv)
  ajv.addVocabulary(["example", "components", "discriminator"])
  ajv.addSchema({ $id: "openapi", components: document.components })
  const compiled = new Map<JsonSchema, ValidateFunction>()

  /** Changes references within the document into references to the schema `openapi`, which is registered with ajv. */
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
    return validate(value) ? undefined : ajv.errorsText(validate.errors).slice(0, 500)
  }

  const headerProblems = (operation: OpenApiOperation, { headers, status }: RawResponse) =>
    Object.entries(operation.responses[status]?.headers ?? {}).flatMap(([name, { required, schema }]) => {
      const given = headers.get(name)
      if (given === null) return required === true || always.includes(name) ? [`the header ${name} is missing`] : []
      const why = wrong(schema, coerceTextToSchemaType(schema, given) ?? given)
      return why === undefined ? [] : [`the header ${name}: ${given} is wrong: ${why}`]
    })

  const bodyProblems = (operation: OpenApiOperation, { headers, status, text }: RawResponse) => {
    const type = (headers.get("content-type") ?? "").split(";")[0] ?? ""
    const content = operation.responses[status]?.content
    if (content === undefined) return text === "" ? [] : ["a body is not described"]
    const described = content[type]
    if (described === undefined) return [`a body of type ${type || "none"} is not described`]
    if (type === "text/event-stream") {
      return dataOf(text).flatMap((data) => {
        const why = wrong(described.schema, parseJson(data))
        return why === undefined ? [] : [`the event ${data} is wrong: ${why}`]
      })
    }
    const body = parseJson(text)
    if (body === undefined) return ["the body is not JSON"]
    const why = wrong(described.schema, body)
    const code = (body as { error?: { code?: string } }).error?.code
    const codes = Object.keys(described.examples ?? {})
    return [
      ...(why === undefined ? [] : [`the body is wrong: ${why}`]),
      ...(status >= 400 && !codes.includes(code ?? "") ? [`the code ${code} is not among ${codes}`] : [])
    ]
  }

  const wrongs = (schema: JsonSchema, value: unknown) => {
    const validate = validator(schema)
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message = "" }) => [placeOf(instancePath), message] as const)
  }

  return {
    wrong,
    wrongs,
    judge: (operation, answer) => {
      if (answer.status >= 500) return [`the server failed: ${answer.text.slice(0, 300)}`]
      if (operation.responses[answer.status] === undefined) return [`the status ${answer.status} is not described`]
      return [...headerProblems(operation, answer), ...bodyProblems(operation, answer)]
    }
  }
}

/** Returns the `data` lines of server-sent events. */
const dataOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => data)

const placeOf = (pointer: string): string =>
  pointer === ""
    ? "body"
    : pointer
        .slice(1)
        .replace(/\/(\d+)(?=\/|$)/g, "[$1]")
        .replaceAll("/", ".")

/**
 * Converts text to a value of the schema's type. Returns undefined for a number in an unusual notation, such as `1.0`.
 */
export const coerceTextToSchemaType = (schema: JsonSchema, text: string): unknown => {
  const type = schema["type"]
  if (type === "integer" || type === "number") {
    const value = Number(text)
    return String(value) === text ? value : /^[+-]?[\d.]+(e[+-]?\d+)?$/i.test(text.trim()) ? undefined : text
  }
  return type === "boolean" && /^(true|false)$/.test(text) ? text === "true" : text
}

export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
