/**
 * What of a released description a new one breaks. The comparison is api-smart-diff's; what it does not see is put before it
 * in a form that it sees (one media type for each error code), or is judged here (scopes, closed sets of values).
 */
import { codeOf, envelopesOf } from "@partner-commentary/api/description/Answers"
import { type Document, json, mapValues, type Response } from "@partner-commentary/api/description/Document"
import { apiDiff } from "api-smart-diff"
import { additions, breaking } from "./Changes.ts"
import type { DocumentRule } from "./Plant.ts"

export const breakage = (released: Document): DocumentRule => ({
  name: "nothing that was released breaks",
  find: (document) => breaks(released, document),
  refuses: breaking,
  accepts: additions
})

export const breaks = (before: Document, after: Document): ReadonlyArray<string> => {
  const [was, is] = changed(plain(before), plain(after))
  const changes = apiDiff(was, is)
    .filter(({ action, path, type }) => path[0] === "paths" && (type === "breaking" || isOther(path, action)))
    // The description says it in words instead: generators make a field with a default required.
    .filter(({ action, path }) => !(action === "remove" && path.at(-1) === "default"))
    .map(({ action, path }) => `${path.slice(1).join(" ")}: ${said[action] ?? action}`)
  return [...new Set([...changes, ...scopes(before, after)])]
}

const said: Readonly<Record<string, string>> = { add: "was added", remove: "was removed", replace: "was changed" }

/** Another type, or one of few values in place of another: who knew the former is not served by it. */
const isOther = (path: ReadonlyArray<PropertyKey>, action: string) =>
  action === "replace" && (path.at(-1) === "type" || path.at(-2) === "enum")

interface Part {
  readonly [name: string]: Part
}

/** What differs, down to the single answer: all the rest needs no closer look. The comparison writes into what it compares. */
const changed = (before: Part, after: Part) => {
  const [was, is] = differing(before, after, ["path", "method", "part", "status"])
  return [
    { openapi: "3.1.0", paths: structuredClone(was) },
    { openapi: "3.1.0", paths: structuredClone(is) }
  ]
}

const differing = (before: Part, after: Part, levels: ReadonlyArray<string>): readonly [Part, Part] => {
  const [level, ...deeper] = levels
  if (level === undefined) return [before, after]
  const was: Record<string, Part> = {}
  const is: Record<string, Part> = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const one = before[name]
    const other = after[name]
    if (JSON.stringify(one) === JSON.stringify(other)) continue
    const isDeeper = level !== "part" || name === "responses"
    const [left, right] =
      one === undefined || other === undefined || !isDeeper ? [one, other] : differing(one, other, deeper)
    if (left !== undefined) was[name] = left
    if (right !== undefined) is[name] = right
  }
  return [was, is]
}

/** Without words and references, and with each error under its code: a code may be added anywhere and must not go. */
const plain = ({ components, paths }: Document): Part => {
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

const byCode = (response: Response, schemas: Document["components"]["schemas"]): Response => {
  const schema = response.content?.[json]?.schema
  if (schema === undefined) return response
  const media = envelopesOf(schema, schemas).map((one) => [`application/${codeOf(one)}`, { schema: one }])
  return { ...response, content: Object.fromEntries(media) }
}

const scopes = (before: Document, after: Document): ReadonlyArray<string> =>
  Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const now = after.paths[path]?.[method]?.["x-required-scope"]
      const was = operation["x-required-scope"]
      return now === was || now === undefined
        ? []
        : [`${path} ${method}: the scope was ${was ?? "none"}, and is ${now}`]
    })
  )
