/**
 * Defines types for the parts of an OpenAPI 3.1 document that this folder changes. Other parts of the document stay
 * unchanged as JSON.
 */
import type * as Schema from "effect/Schema"

export type Json = Schema.Json

export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly format?: string
  readonly pattern?: string
  readonly default?: Json
  readonly enum?: ReadonlyArray<Json>
  readonly examples?: ReadonlyArray<Json>
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

export interface Reference {
  readonly $ref: string
}

export interface Example {
  readonly summary?: string
  readonly value: Json
}

export interface Media {
  readonly schema: JsonSchema
  readonly example?: Json
  readonly examples?: Readonly<Record<string, Example>>
}

type Content = Readonly<Record<string, Media>>

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
  readonly example?: Json
}

export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header | Reference>>
  readonly content?: Content
}

export interface Header {
  readonly description: string
  readonly required?: boolean
  readonly schema: JsonSchema
  readonly example: Json
}

export interface Operation {
  readonly tags: ReadonlyArray<string>
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly parameters: ReadonlyArray<Parameter | Reference>
  readonly security: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Response>>
  readonly "x-required-scope"?: string
  /** The scope that the operation requires instead if the API key has any webhook scope. */
  readonly "x-webhook-scope"?: string
}

export type Path = Readonly<Record<string, Operation>>

export interface Document {
  readonly openapi: string
  readonly info: Readonly<Record<string, Json>>
  readonly servers: ReadonlyArray<{ readonly url: string; readonly description: string }>
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly paths: Readonly<Record<string, Path>>
  /** The requests that receivers of events get, by event type. */
  readonly webhooks?: Readonly<Record<string, Path>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly parameters?: Readonly<Record<string, Parameter>>
    readonly headers?: Readonly<Record<string, Header>>
    readonly securitySchemes: Readonly<Record<string, Json>>
  }
}

export const json = "application/json"

export const mapValues = <A, B>(
  record: Readonly<Record<string, A>>,
  f: (value: A, key: string) => B
): Record<string, B> => Object.fromEntries(Object.entries(record).map(([key, value]) => [key, f(value, key)]))
