/**
 * Defines types for the parts of an OpenAPI 3.1 document that this folder changes. Other parts of the document stay
 * unchanged as JSON.
 */
import type * as Schema from "effect/Schema"

export type JsonValue = Schema.Json

export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly format?: string
  readonly pattern?: string
  readonly default?: JsonValue
  readonly enum?: ReadonlyArray<JsonValue>
  readonly examples?: ReadonlyArray<JsonValue>
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly oneOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly discriminator?: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> }
}

export interface ReferenceObject {
  readonly $ref: string
}

export interface ExampleObject {
  readonly summary?: string
  readonly value: JsonValue
}

export interface MediaTypeObject {
  readonly schema: JsonSchema
  readonly example?: JsonValue
  readonly examples?: Readonly<Record<string, ExampleObject>>
}

type Content = Readonly<Record<string, MediaTypeObject>>

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
  readonly example?: JsonValue
}

export interface ResponseObject {
  readonly description: string
  readonly headers?: Readonly<Record<string, HeaderObject | ReferenceObject>>
  readonly content?: Content
}

export interface HeaderObject {
  readonly description: string
  readonly required?: boolean
  readonly schema: JsonSchema
  readonly example: JsonValue
}

export interface Operation {
  readonly tags: ReadonlyArray<string>
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly parameters: ReadonlyArray<Parameter | ReferenceObject>
  readonly security: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, ResponseObject>>
  readonly "x-required-scope"?: string
  /** The scope that the operation requires instead of `x-required-scope` if the API key has any webhook scope. */
  readonly "x-webhook-scope"?: string
}

export type PathItem = Readonly<Record<string, Operation>>

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: Readonly<Record<string, JsonValue>>
  readonly servers: ReadonlyArray<{ readonly url: string; readonly description: string }>
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly paths: Readonly<Record<string, PathItem>>
  /** The webhook requests that the service sends, by event type. */
  readonly webhooks?: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly parameters?: Readonly<Record<string, Parameter>>
    readonly headers?: Readonly<Record<string, HeaderObject>>
    readonly securitySchemes: Readonly<Record<string, JsonValue>>
  }
}

export const jsonContentType = "application/json"

export const mapValues = <A, B>(
  record: Readonly<Record<string, A>>,
  f: (value: A, key: string) => B
): Record<string, B> => Object.fromEntries(Object.entries(record).map(([key, value]) => [key, f(value, key)]))
