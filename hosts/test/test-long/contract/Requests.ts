/** Requests to an operation, right and wrong ones, made from its description and from what earlier answers held. */
import * as fc from "fast-check"
import type { Document, Operation } from "./Description.ts"
import { allowed, junk, spoiled } from "./Values.ts"

export interface Sent {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** The body as a value, where it is JSON: what the description may be asked about. */
  readonly value?: unknown
}

/** Headers that open operations, by the name of the security scheme. Several of one scheme are callers to choose from. */
export type Credentials = Readonly<Record<string, ReadonlyArray<Readonly<Record<string, string>>>>>

/** Whatever text an answer held under which name: ids, references, cursors. */
export type Harvest = Map<string, Set<string>>

export const harvest = (into: Harvest, value: unknown, name = "") => {
  if (typeof value === "string") {
    if (value.length === 0 || value.length > 300) return
    const known = into.get(name) ?? new Set()
    known.add(value)
    // The newest are worth most, and memory is finite.
    if (known.size > 200) known.delete(known.values().next().value as string)
    into.set(name, known)
  } else if (Array.isArray(value)) for (const item of value) harvest(into, item, name)
  else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) harvest(into, inner, key)
  }
}

const harvested = (seen: Harvest, name: string): ReadonlyArray<string> => {
  const singular = name.replace(/s$/, "")
  return [...seen]
    .filter(([key]) => key === name || key === singular || key.endsWith("id"))
    .flatMap(([, values]) => [...values])
}

const known = (seen: Harvest, name: string, otherwise: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => {
  const exact = [...(seen.get(name) ?? seen.get(name.replace(/s$/, "")) ?? [])]
  const loose = harvested(seen, name)
  return fc.oneof(
    ...(exact.length === 0 ? [] : [{ weight: 6, arbitrary: fc.constantFrom(...exact) }]),
    ...(loose.length === 0 ? [] : [{ weight: 4, arbitrary: fc.constantFrom(...loose) }]),
    { weight: 2, arbitrary: otherwise },
    { weight: 1, arbitrary: junk }
  )
}

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** A path's parts may hold anything but nothing: an empty one is another path. */
const pathPart = (value: unknown): string => {
  const escaped = encodeURIComponent(asText(value).toWellFormed()).replace(/^\.{1,2}$/, (dots) =>
    dots.replaceAll(".", "%2E")
  )
  return escaped === "" ? "%20" : escaped.slice(0, 900).replace(/%.?$/, "")
}

/** Ids that a body refers to are taken from what was seen, more often than not. */
const acquainted = (seen: Harvest, value: unknown, name = ""): fc.Arbitrary<unknown> => {
  if (typeof value === "string" && /_ids?$/.test(name)) {
    const found = [...(seen.get(name) ?? seen.get(name.replace(/s$/, "")) ?? [])]
    return found.length === 0
      ? fc.constant(value)
      : fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...found) }, { weight: 1, arbitrary: fc.constant(value) })
  }
  if (Array.isArray(value)) return fc.tuple(...value.map((item) => acquainted(seen, item, name)))
  if (typeof value !== "object" || value === null) return fc.constant(value)
  return fc.record(
    Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, acquainted(seen, inner, key)])),
    { noNullPrototype: true }
  )
}

const noBody: fc.Arbitrary<Pick<Sent, "body" | "value">> = fc.constant({ body: undefined })
const rawBodies = fc.constantFrom("", "{", "null", "[]", '"text"', "{}", '{"a":1,"a":2}', "\uFEFF{}", "[".repeat(2000))

const bodies = (
  document: Document,
  operation: Operation,
  seen: Harvest
): fc.Arbitrary<Pick<Sent, "body" | "value">> => {
  if (operation.body === undefined)
    return fc.oneof(
      { weight: 9, arbitrary: noBody },
      rawBodies.map((body) => ({ body }))
    )
  const right = allowed(document, operation.body.schema).chain((value) => acquainted(seen, value))
  const json = (value: unknown) => ({ body: JSON.stringify(value), value: JSON.parse(JSON.stringify(value) ?? "null") })
  return fc.oneof(
    { weight: 5, arbitrary: right.map(json) },
    { weight: 4, arbitrary: right.chain(spoiled).map(json) },
    { weight: 1, arbitrary: junk.map(json) },
    { weight: 1, arbitrary: rawBodies.map((body) => ({ body })) },
    { weight: 1, arbitrary: noBody }
  )
}

const types = fc.oneof(
  { weight: 12, arbitrary: fc.constant("application/json") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("application/json; charset=utf-8", "text/plain", "multipart/form-data", "garbage")
  }
)

const printable = fc.string({
  unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)),
  maxLength: 60
})

export const requests = (
  document: Document,
  operation: Operation,
  seen: Harvest,
  credentials: Credentials
): fc.Arbitrary<Sent> => {
  const opening = operation.schemes.flatMap((scheme) => credentials[scheme] ?? [])
  const all = Object.values(credentials).flat()
  const callers = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...opening) },
    { weight: 1, arbitrary: fc.constantFrom({}, ...all) },
    { weight: 1, arbitrary: printable.map((text) => ({ "x-api-key": text })) },
    { weight: 1, arbitrary: printable.map((text) => ({ authorization: `Bearer ${text}` })) }
  )
  const parameters = fc.tuple(
    ...operation.parameters.map((parameter) => {
      const right = allowed(document, parameter.schema)
      const value =
        parameter.in === "path"
          ? known(seen, parameter.name, right)
          : fc.oneof(
              { weight: 4, arbitrary: right },
              { weight: 2, arbitrary: known(seen, parameter.name, right) },
              { weight: 1, arbitrary: junk }
            )
      const given =
        parameter.in === "path" || parameter.required === true ? value : fc.option(value, { freq: 2, nil: undefined })
      return given.map((value) => ({ parameter, value }))
    })
  )
  return fc.tuple(callers, parameters, bodies(document, operation, seen), types).map(([caller, given, body, type]) => {
    const at = (place: string) => given.filter(({ parameter, value }) => parameter.in === place && value !== undefined)
    const path = at("path").reduce(
      (path, { parameter, value }) => path.replace(`{${parameter.name}}`, pathPart(value)),
      operation.path
    )
    const query = at("query").map(
      ({ parameter, value }) =>
        `${parameter.name}=${encodeURIComponent(asText(value).toWellFormed()).slice(0, 900).replace(/%.?$/, "")}`
    )
    const headers = at("header").flatMap(({ parameter, value }) => {
      const text = asText(value)
        .replace(/[^\x20-\x7e]/g, "")
        .trim()
        .slice(0, 300)
      return [[parameter.name.toLowerCase(), text]]
    })
    return {
      url: query.length === 0 ? path : `${path}?${query.join("&")}`,
      method: operation.method,
      headers: {
        ...Object.fromEntries(headers),
        ...caller,
        ...(body.body === undefined ? {} : { "content-type": type })
      },
      ...body
    }
  })
}
