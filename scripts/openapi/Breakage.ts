/**
 * Finds breaking changes against a released OpenAPI document with api-smart-diff. api-smart-diff misses two kinds of
 * changes. To find removed error codes, this module rewrites each error code as a separate media type. Changes of
 * scopes, types and enumerations are found, but this module classifies them itself.
 */
import {
  jsonContentType,
  mapValues,
  type OpenApiDocument,
  type ResponseObject
} from "@partner-commentary/api/description/Document"
import { findErrorCode, listErrorEnvelopes } from "@partner-commentary/api/description/Responses"
import { apiDiff } from "api-smart-diff"

export const findBreakingChanges = (before: OpenApiDocument, after: OpenApiDocument): ReadonlyArray<string> => {
  const [was, is] = [plain(before), plain(after)]
  const lines = apiDiff(changed(was, is), changed(is, was))
    .filter((change) => change.path[0] === "paths" && (change.type === "breaking" || isOther(change)))
    .filter((change) => ![isChosenByCaller, isCausedByCaller, isNewEventType, isNewErrorCode].some((is) => is(change)))
    // Code generators treat a field with a default as required, so the description states defaults in prose.
    .filter(({ action, path }) => !(action === "remove" && path.at(-1) === "default"))
    .map(({ action, path }) => `${path.slice(1).join(" ")}: ${said[action] ?? action}`)
  return [...new Set(lines)]
}

const said: Readonly<Record<string, string>> = { add: "was added", remove: "was removed", replace: "was changed" }

interface Change {
  readonly action: string
  readonly path: ReadonlyArray<PropertyKey>
  readonly after?: unknown
}

/**
 * Returns whether a type, an enumeration value or a required scope changed. api-smart-diff does not report these
 * changes as breaking.
 */
const isOther = ({ action, path }: Change) =>
  (action === "replace" && (path.at(-1) === "type" || path.at(-2) === "enum")) ||
  (action !== "remove" && path.at(-1) === "x-required-scope")

/**
 * Returns whether clients choose the value, such as a scope or an event type. A client receives a new scope or event
 * type only if the client has requested it.
 */
const isChosenByCaller = ({ action, path }: Change) =>
  action === "add" && path.at(-2) === "enum" && ["scopes", "events"].includes(String(path.at(-4)))

/**
 * Returns whether the change adds the failure reason `cancelled`. Only a client that calls the cancel operation
 * receives the reason `cancelled`.
 */
const isCausedByCaller = ({ action, after, path }: Change) =>
  action === "add" && path.at(-2) === "enum" && path.at(-3) === "reason" && after === "cancelled"

/**
 * Returns whether the change adds an event type. A webhook receives only the event types in its settings. The released
 * description tells readers of all events to ignore unknown types.
 */
const isNewEventType = ({ action, path }: Change) =>
  action === "add" &&
  ((path[1] === "/partner/v1/events" && isAlternative(path) && path.at(-3) === "items") ||
    (String(path[1]).includes("/deliveries") && path.at(-2) === "enum" && path.at(-3) === "type"))

/**
 * Returns whether the change adds an error code to a response. The released description tells clients to handle unknown
 * codes.
 */
const isNewErrorCode = ({ action, after, path }: Change) =>
  action === "add" &&
  isAlternative(path) &&
  path.at(-3) === "error" &&
  (after as Part)["properties"]?.["code"] !== undefined

const isAlternative = (path: Change["path"]) => ["anyOf", "oneOf"].includes(String(path.at(-2)))

interface Part {
  readonly [name: string]: Part
}

/**
 * Returns only the changed operations of the documents, because comparing whole documents is slow. The input is cloned,
 * because api-smart-diff modifies its input.
 */
const differing = (part: Part, other: Part): Part =>
  mapValues(part, (path, name) =>
    Object.fromEntries(
      Object.entries(path).filter(([method, each]) => JSON.stringify(each) !== JSON.stringify(other[name]?.[method]))
    )
  )

const changed = (part: Part, other: Part) => structuredClone({ openapi: "3.1.0", paths: differing(part, other) })

/**
 * Removes descriptions, resolves references, and lists each error under its code, so that only a removed code is
 * breaking.
 */
const plain = ({ components, paths }: OpenApiDocument): Part => {
  const followed = (value: unknown, key: string, above: ReadonlyArray<string>): unknown => {
    if (Array.isArray(value)) return value.map((inner) => followed(inner, key, above))
    if (typeof value !== "object" || value === null) return value
    const { $ref } = value as { readonly $ref?: string }
    if ($ref !== undefined) {
      const target = $ref
        .split("/")
        .slice(2)
        .reduce<unknown>((part, name) => (part as Part)[name], components)
      return above.includes($ref) ? {} : followed(target, key, [...above, $ref])
    }
    const kept = Object.entries(value).filter(
      ([name, inner]) =>
        key === "properties" || !(words.has(name) || (name === "additionalProperties" && inner === true))
    )
    return Object.fromEntries(kept.map(([name, inner]) => [name, followed(inner, name, above)]))
  }
  const told = mapValues(paths, (path) =>
    mapValues(path, (operation) => ({
      ...operation,
      responses: mapValues(operation.responses, (response, status) =>
        Number(status) < 400 ? response : byCode(response, components.schemas)
      )
    }))
  )
  return followed(told, "paths", []) as Part
}

const words = new Set(["description", "summary", "example", "examples", "tags", "operationId"])

const byCode = (response: ResponseObject, schemas: OpenApiDocument["components"]["schemas"]): ResponseObject => {
  const schema = response.content?.[jsonContentType]?.schema
  if (schema === undefined) return response
  const media = listErrorEnvelopes(schema, schemas).map((one) => [`application/${findErrorCode(one)}`, { schema: one }])
  return { ...response, content: Object.fromEntries(media) }
}
