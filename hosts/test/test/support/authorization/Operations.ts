/** Reads all operations of the served OpenAPI document, so that new operations are included automatically. */
import type { ApiKeyScope } from "@partner-commentary/core/access/Scope"
import { TestApi, type TestApiCall } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import { readResponseText } from "../EventStream.ts"
import { readJson } from "../Json.ts"

export interface Operation {
  readonly id: string
  readonly method: string
  /** A path below `{api_root}`, with `{parameter}` for each parameter. */
  readonly path: string
  readonly scheme: "ApiKey" | "DashboardToken"
  readonly scope: ApiKeyScope | undefined
  /** The scope that replaces `scope` for a key with webhook scopes. */
  readonly webhookScope: ApiKeyScope | undefined
  /** The status of a successful response. */
  readonly success: number
  /** All statuses that the OpenAPI document lists for the operation. */
  readonly statuses: ReadonlyArray<number>
  readonly takesBody: boolean
  /** True if the operation stores its response under an idempotency key. */
  readonly keeps: boolean
}

export const readOpenApiOperations = Effect.gen(function* () {
  const { paths } = yield* Effect.flatMap((yield* TestApi).call("/openapi.json"), readJson)
  return Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]): Operation => {
      const [security, ...others] = described.security.flatMap(Object.keys)
      const [success, ...further] = Object.keys(described.responses).filter((status) => status.startsWith("2"))
      if (others.length + further.length > 0) throw new Error(`${described.operationId} has no single rule`)
      return {
        id: described.operationId,
        method: method.toUpperCase(),
        path,
        scheme: security,
        scope: described["x-required-scope"],
        webhookScope: described["x-webhook-scope"],
        success: Number(success),
        statuses: Object.keys(described.responses).map(Number),
        takesBody: described.requestBody !== undefined,
        keeps: described.parameters.some(({ name }: { readonly name?: string }) => name === "Idempotency-Key")
      }
    })
  )
})

/**
 * Who can access a path's resources: the keys of one environment of an organization, all keys of the organization, or
 * all organizations with a licence for the persona.
 */
export type ResourceVisibility = "environment" | "organization" | "licence"

const ownership: Readonly<Record<string, ResourceVisibility>> = {
  topics: "environment",
  webhooks: "environment",
  events: "environment",
  assignments: "environment",
  "api-keys": "organization",
  personas: "licence"
}

/** Returns the names of the resources in the path, such as `topics` and `personas`. */
const parts = ({ path }: Pick<Operation, "path">): ReadonlyArray<string> =>
  path
    .replace("/partner/v1/", "")
    .replace(/^test\//, "")
    .split("/")

export const findResourceVisibility = (operation: Operation): ResourceVisibility => {
  const [first = ""] = parts(operation)
  const found = ownership[first]
  if (found === undefined) throw new Error(`nobody said whose ${first} are`)
  return found
}

/**
 * Returns the scope that the specification assigns to the operation, or undefined if the operation requires a token.
 */
export const findRequiredScope = (operation: Operation): ApiKeyScope | undefined => {
  const [first] = parts(operation)
  if (first === "api-keys" || first === "me") return undefined
  if (first === "personas") return "personas:read"
  if (first === "usage" || first === "metrics") return "usage:read"
  return operation.method === "GET" ? "topics:read" : "topics:submit"
}

/** Returns the scope that a key with webhook scopes needs for the operation. */
export const findRequiredWebhookScope = (operation: Operation): ApiKeyScope | undefined => {
  if (parts(operation)[0] !== "webhooks") return undefined
  return operation.method === "GET" ? "webhooks:read" : "webhooks:write"
}

export const hasPathParameters = ({ path }: Operation): boolean => path.includes("{")

/** Ids for the paths and bodies of requests, with one id for each kind of resource. */
export interface RequestResourceIds {
  readonly topic: string
  readonly commentary: string
  readonly reference: string
  readonly persona: string
  readonly webhook: string
  readonly delivery: string
  readonly key: string
  readonly assignment: string
}

const resourceIdNameBySegment: Readonly<Record<string, keyof RequestResourceIds>> = {
  topics: "topic",
  commentaries: "commentary",
  "by-reference": "reference",
  personas: "persona",
  webhooks: "webhook",
  deliveries: "delivery",
  "api-keys": "key",
  assignments: "assignment"
}

/** Returns the operation's path with these ids in place of the path parameters. */
export const buildPathWithIds = (operation: Operation, resourceIds: RequestResourceIds): string =>
  operation.path.replaceAll(/([\w-]+)\/\{\w+\}/g, (_, what: string) => {
    const thing = resourceIdNameBySegment[what]
    if (thing === undefined) throw new Error(`nobody said what ${operation.path} names`)
    return `${what}/${resourceIds[thing]}`
  })

/** Returns the environment whose resources the operation affects. */
export const findAffectedEnvironment = ({ path }: Pick<Operation, "path">): "live" | "test" =>
  path.startsWith("/partner/v1/test/") ? "test" : "live"

export const sendOperation = (operation: Operation, resourceIds: RequestResourceIds, call: TestApiCall) =>
  Effect.gen(function* () {
    const { call: ask } = yield* TestApi
    const response = yield* ask(buildPathWithIds(operation, resourceIds), { method: operation.method, ...call })
    const text = yield* readResponseText(response)
    const isJson = response.headers.get("content-type") === "application/json"
    const code: string | undefined = isJson && text !== "" ? JSON.parse(text).error?.code : undefined
    return { status: response.status, headers: response.headers, isJson, text, code }
  })
