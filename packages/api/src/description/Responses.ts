/**
 * Builds the responses of an operation. The success response has an example. Each error code has its meaning and an
 * example of a complete body.
 */
import { eventStreamContentType } from "../Documented.ts"
import { type ErrorCode, type ErrorGuidance, errorGuide } from "../ErrorGuide.ts"
import * as Errors from "../Errors.ts"
import {
  type ExampleObject,
  type JsonSchema,
  type JsonValue,
  jsonContentType,
  type MediaTypeObject,
  mapValues,
  type ResponseObject
} from "./Document.ts"
import { findExample } from "./ExampleValue.ts"
import { listResponseHeaders } from "./Headers.ts"
import { resolveSchema } from "./SchemaText.ts"

export interface ResponseContext {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly summary: string | undefined
  readonly replays: boolean
  readonly isConditional: boolean
  readonly canWait: boolean
  /** The operation's own error examples, which replace the general error examples. */
  readonly shown: ReadonlyMap<string, Errors.WireError>
}

export const describeResponses = (
  responses: Readonly<Record<string, ResponseObject>>,
  setting: ResponseContext
): Record<string, ResponseObject> =>
  mapValues(responses, (response, status) => ({
    ...(Number(status) < 400 ? success(response, setting) : failure(response, setting)),
    headers: {
      ...formatHeaderNames(response.headers),
      ...listResponseHeaders(status, setting.replays, setting.isConditional, setting.canWait)
    }
  }))

/** Returns the conventional spelling of a header name. */
export const formatHeaderName = (name: string): string =>
  name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase()).replace("Event-Id", "Event-ID")

const formatHeaderNames = (headers: ResponseObject["headers"] = {}): NonNullable<ResponseObject["headers"]> =>
  Object.fromEntries(Object.entries(headers).map(([name, header]) => [formatHeaderName(name), header]))

const success = (response: ResponseObject, { schemas, summary }: ResponseContext): ResponseObject => {
  const stream = response.content?.[eventStreamContentType]?.schema
  if (stream !== undefined) {
    return { ...response, content: { [eventStreamContentType]: withExample(stream, findExample(stream, schemas)) } }
  }
  const schema = response.content?.[jsonContentType]?.schema
  if (schema === undefined) return response
  const whole = resolveSchema(schema, schemas)
  const data = whole.properties?.["data"]
  const described = whole.description ?? (data && (data.description ?? resolveSchema(data, schemas).description))
  return {
    ...response,
    description: described ?? summary ?? response.description,
    content: withJson(response, withExample(schema, findExample(schema, schemas)))
  }
}

const withExample = (schema: JsonSchema, example: JsonValue | undefined): MediaTypeObject =>
  example === undefined ? { schema } : { schema, example }

const withJson = (response: ResponseObject, media: MediaTypeObject) => ({
  ...response.content,
  [jsonContentType]: media
})

const failure = (response: ResponseObject, { schemas, shown }: ResponseContext): ResponseObject => {
  const schema = response.content?.[jsonContentType]?.schema
  if (schema === undefined) return response
  const errors = listErrorEnvelopes(schema, schemas).map((envelope) => ({
    ...errorOf(envelope),
    code: findErrorCode(envelope)
  }))
  const told = errors.map(({ code, description }) => `- \`${code}\`: ${description ?? ""}`)
  const examples = errors.flatMap(({ code, description }): Array<[string, ExampleObject]> => {
    const value = shown.get(code) ?? entryOf(code)?.example
    return value === undefined ? [] : [[code, { summary: description ?? code, value: bodyOf(value) }]]
  })
  return {
    ...response,
    description: told.length === 1 ? (errors[0]?.description ?? response.description) : told.join("\n"),
    content: withJson(response, {
      schema: mergeErrorEnvelopes(schema, schemas),
      examples: Object.fromEntries(examples)
    })
  }
}

/** Merges the alternative error envelopes into one envelope, so that `error.code` distinguishes the alternatives. */
const mergeErrorEnvelopes = (schema: JsonSchema, schemas: ResponseContext["schemas"]): JsonSchema => {
  const [envelope, ...others] = (schema.anyOf ?? []).map((one) => resolveSchema(one, schemas))
  if (envelope === undefined) return schema
  const error = [envelope, ...others].flatMap(({ properties }) => properties?.["error"] ?? [])
  const { success } = envelope.properties ?? {}
  return {
    type: "object",
    required: ["success", "error"],
    properties: {
      ...(success === undefined ? {} : { success }),
      error: { description: "The error.", anyOf: error }
    }
  }
}

/** Returns the error envelopes of a response, one envelope for each error code. */
export const listErrorEnvelopes = (
  schema: JsonSchema,
  schemas: ResponseContext["schemas"]
): ReadonlyArray<JsonSchema> =>
  (schema.anyOf ?? [schema]).flatMap((one) => {
    const envelope = resolveSchema(one, schemas)
    const error = errorOf(envelope)
    return (error.oneOf ?? error.anyOf ?? [error]).map((alternative) => ({
      ...envelope,
      properties: { ...envelope.properties, error: resolveSchema(alternative, schemas) }
    }))
  })

const errorOf = ({ properties }: JsonSchema): JsonSchema => properties?.["error"] ?? {}

/** Returns the error code of an error envelope. */
export const findErrorCode = (envelope: JsonSchema): string =>
  String(errorOf(envelope).properties?.["code"]?.enum?.[0] ?? "")

const bodyOf = ({ error, success }: Errors.WireError): JsonValue => ({ success, error }) as unknown as JsonValue

/** The response to a conditional request whose result has not changed. */
export const describeNotModifiedResponse = (canWait: boolean): Readonly<Record<string, ResponseObject>> => ({
  304: {
    description: "Nothing has changed since the response that `If-None-Match` names. The response has no body.",
    headers: listResponseHeaders("304", false, true, canWait)
  }
})

/** The response of every operation to a request that did not arrive completely in time. */
export const requestTimeoutResponses: Readonly<Record<string, ResponseObject>> = {
  [Errors.requestTimeoutResponse.status]: {
    description: "The request did not arrive completely within the time limit. Send it again.",
    headers: listResponseHeaders(String(Errors.requestTimeoutResponse.status), false),
    content: {
      [jsonContentType]: {
        schema: { $ref: "#/components/schemas/InvalidRequest" },
        examples: {
          invalid_request: {
            summary: "The request did not arrive completely.",
            value: bodyOf(Errors.requestTimeoutResponse.error)
          }
        }
      }
    }
  }
}

/** The response of every operation while the server is busy. */
export const serviceBusyResponses: Readonly<Record<string, ResponseObject>> = {
  [Errors.serviceBusyResponse.status]: {
    description:
      "The service is busy. Retry after `Retry-After`, with the same `Idempotency-Key` if the request had one.",
    headers: listResponseHeaders(String(Errors.serviceBusyResponse.status), false),
    content: {
      [jsonContentType]: {
        schema: { $ref: "#/components/schemas/InternalError" },
        examples: {
          internal_error: {
            summary: "No database connection became available in time.",
            value: bodyOf(Errors.serviceBusyResponse.of("5f1c2a90-8d0e-4c4b-9a55-0f3f6f0d7e21"))
          }
        }
      }
    }
  }
}

const isCode = (code: string): code is ErrorCode => code in Errors.httpStatusByErrorCode

const entryOf = (code: string): ErrorGuidance | undefined => (isCode(code) ? errorGuide[code] : undefined)
