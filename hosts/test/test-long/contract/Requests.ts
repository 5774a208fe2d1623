/** Generates valid and invalid requests to an operation, from the OpenAPI document and values of earlier responses. */
import * as fc from "fast-check"
import type { FuzzedCaller, FuzzedCallersBySecurityScheme } from "./Callers.ts"
import type { JsonSchema, OpenApiDocument, OpenApiOperation, OpenApiParameter } from "./Description.ts"
import {
  arbitraryCorruptedValues,
  arbitraryExtraQueryParts,
  arbitraryHeaderTexts,
  arbitraryHostileBodies,
  arbitraryJunkValues,
  arbitraryMediaTypes,
  arbitraryPathSegments,
  arbitraryUnknownHeaders
} from "./HostileInput.ts"
import { listValueNames, type RecordedResponseValues, type ResponseValueStore, toSingular } from "./ResponseValues.ts"
import { arbitrarySchemaValues } from "./Values.ts"

/**
 * A parameter and the text of its value. `odd` is true if the text is sent unescaped, so that the server may read a
 * different value.
 */
export interface ParameterText {
  readonly parameter: OpenApiParameter
  readonly text: string
  readonly odd: boolean
}

/** The request body: a JSON value, bytes that may not be JSON, or no body. */
export type RequestPayload = { readonly value: unknown } | { readonly bytes: Uint8Array } | undefined

export interface GeneratedRequest {
  readonly operation: OpenApiOperation
  readonly caller: FuzzedCaller
  readonly arguments: ReadonlyArray<ParameterText>
  readonly payload: RequestPayload
  readonly type: { readonly type: string | undefined; readonly right: boolean | undefined }
  /** The body is sent in chunks, without a Content-Length. */
  readonly chunked: boolean
  readonly headers: ReadonlyArray<readonly [string, string]>
  /** Parameters that are appended to the query. */
  readonly query: ReadonlyArray<string>
  /**
   * A random number that determines the loopback address of a caller without valid credentials. Callers without valid
   * credentials are limited by address. The random number also selects the requests that get additional checks.
   */
  readonly origin: number
}

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value)).toWellFormed()

const even = (value: unknown) => ({ text: asText(value), odd: false })

/** Returns one of the values that an earlier response had for the parameter. */
const seen = (
  recorded: RecordedResponseValues,
  operation: OpenApiOperation,
  parameter: OpenApiParameter,
  pick: number
): string | undefined => {
  const found = listValueNames(operation, parameter).flatMap((label) => recorded.values.get(label) ?? [])
  return found[pick % found.length]
}

const argument = (
  document: OpenApiDocument,
  operation: OpenApiOperation,
  parameter: OpenApiParameter,
  home: RecordedResponseValues | undefined
): fc.Arbitrary<ParameterText | undefined> => {
  const right = arbitrarySchemaValues(document, parameter.schema, "within")
  const known = home === undefined ? right : fc.nat(99).map((pick) => seen(home, operation, parameter, pick))
  const inPath = parameter.in === "path"
  const raw = inPath ? arbitraryPathSegments : parameter.in === "header" ? arbitraryHeaderTexts : undefined
  const given = fc.oneof(
    { weight: inPath ? 12 : 2, arbitrary: fc.tuple(known, right).map(([text, other]) => even(text ?? other)) },
    { weight: inPath ? 2 : 6, arbitrary: right.map(even) },
    { weight: 2, arbitrary: arbitrarySchemaValues(document, parameter.schema, "around").map(even) },
    { weight: 1, arbitrary: arbitraryJunkValues.map(even) },
    ...(raw === undefined ? [] : [{ weight: 1, arbitrary: raw.map((text) => ({ text, odd: inPath })) }])
  )
  const told = fc.tuple(given, fc.nat(49)).map(([{ odd, text: any }, pick]): ParameterText | undefined => {
    const text = parameter.name === "Prefer" ? shortWait(any, pick) : any
    const fitting = parameter.in === "header" ? headerText(text) : odd ? text : text.slice(0, 700).toWellFormed()
    return inPath && fitting === "" ? { parameter, text: " ", odd } : { parameter, text: fitting, odd }
  })
  return inPath || parameter.required === true
    ? told
    : fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 2, arbitrary: told })
}

/**
 * Shortens the wait of a `Prefer: wait` header, to one second in one of fifty requests and otherwise to zero. Thousands
 * of requests that wait 30 seconds would take hours.
 */
const shortWait = (text: string, pick: number): string => text.replace(/\d+/g, pick === 0 ? "1" : "0")

/** Removes the characters that a header cannot contain, and the surrounding white space, which HTTP drops. */
const headerText = (text: string): string =>
  text
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, "")
    .slice(0, 300)
    .replace(/^[ \t]+|[ \t]+$/g, "")

/** Replaces most ids in a body with ids that the caller has received. */
const useKnownIds = (value: unknown, home: RecordedResponseValues | undefined, pick: number, name = ""): unknown => {
  const known = home?.values.get(toSingular(name)) ?? []
  if (typeof value === "string") {
    return /_ids?$/.test(name) && known.length > 0 && pick % 7 !== 0 ? known[pick % known.length] : value
  }
  if (Array.isArray(value)) return value.map((item, index) => useKnownIds(item, home, pick + index, name))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner], index) => [key, useKnownIds(inner, home, pick + index, key)])
  )
}

const asJson = (value: unknown): RequestPayload => ({ value: JSON.parse(JSON.stringify(value) ?? "null") })

const payloads = (
  document: OpenApiDocument,
  { body }: OpenApiOperation,
  home: RecordedResponseValues | undefined
): fc.Arbitrary<RequestPayload> => {
  const nothing = fc.constant<RequestPayload>(undefined)
  const raw = arbitraryHostileBodies.map((bytes): RequestPayload => ({ bytes }))
  if (body === undefined) return fc.oneof({ weight: 15, arbitrary: nothing }, { weight: 1, arbitrary: raw })
  const made = (aim: "within" | "around") =>
    fc
      .tuple(arbitrarySchemaValues(document, body.schema, aim), fc.nat(999))
      .map(([value, pick]) => useKnownIds(value, home, pick))
  return fc.oneof(
    { weight: 12, arbitrary: made("within").map(asJson) },
    { weight: 5, arbitrary: made("around").map(asJson) },
    { weight: 4, arbitrary: made("within").chain(arbitraryCorruptedValues).map(asJson) },
    { weight: 1, arbitrary: arbitraryJunkValues.map(asJson) },
    { weight: 2, arbitrary: raw },
    { weight: 1, arbitrary: nothing }
  )
}

const garbage = fc.tuple(arbitraryHeaderTexts, fc.constantFrom("X-Api-Key", "Authorization")).map(
  ([text, header]): FuzzedCaller => ({
    name: "garbage",
    headers: [[header, headerText(text)]],
    expectedAccess: "none"
  })
)

const nobody: FuzzedCaller = { name: "nobody", headers: [], expectedAccess: "none" }

const callersOf = (
  operation: OpenApiOperation,
  callers: FuzzedCallersBySecurityScheme,
  home: RecordedResponseValues | undefined
): fc.Arbitrary<FuzzedCaller> => {
  const by = (expectedAccess: FuzzedCaller["expectedAccess"]) =>
    operation.schemes
      .flatMap((scheme) => callers[scheme] ?? [])
      .filter((caller) => caller.expectedAccess === expectedAccess)
  const wrong = Object.entries(callers)
    .filter(([scheme]) => !operation.schemes.includes(scheme))
    .flatMap(([, some]) => some.map((caller): FuzzedCaller => ({ ...caller, expectedAccess: "none" })))
  return fc.oneof(
    { weight: home === undefined ? 0 : 16, arbitrary: fc.constant(home?.caller ?? nobody) },
    { weight: 6, arbitrary: fc.constantFrom(...by("all")) },
    { weight: 1, arbitrary: fc.constantFrom(...by("some")) },
    { weight: 1, arbitrary: fc.constantFrom(nobody, ...by("none"), ...wrong) },
    { weight: 1, arbitrary: garbage }
  )
}

/** Returns the names of the id fields in a body. */
const idsIn = (document: OpenApiDocument, schema: JsonSchema | undefined): ReadonlyArray<string> =>
  schema === undefined
    ? []
    : [...JSON.stringify(inlined(document, schema)).matchAll(/"(\w+_ids?)":\{/g)].map(([, name = ""]) =>
        toSingular(name)
      )

const inlined = (document: OpenApiDocument, schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema), (_, value) =>
    typeof value?.$ref === "string" && value.$ref.startsWith("#/components/schemas/")
      ? inlined(document, document.components["schemas"]?.[value.$ref.split("/").at(-1)])
      : value
  )

/** Generates requests that use values from earlier responses. */
export const arbitraryRequests = (
  document: OpenApiDocument,
  operation: OpenApiOperation,
  memory: ResponseValueStore,
  callers: FuzzedCallersBySecurityScheme
): fc.Arbitrary<GeneratedRequest> => {
  const wanted = [
    ...operation.parameters.filter((one) => one.in === "path").map((one) => listValueNames(operation, one)),
    ...idsIn(document, operation.body?.schema).map((name) => [name])
  ]
  const ours = new Set(operation.schemes.flatMap((scheme) => callers[scheme] ?? []).map(({ headers }) => headers))
  const homes = memory
    .findWithNames(wanted)
    .filter(({ caller }) => ours.has(caller.headers) && caller.expectedAccess === "all")
  const sent = (home: RecordedResponseValues | undefined): fc.Arbitrary<GeneratedRequest> =>
    fc.record(
      {
        operation: fc.constant(operation),
        caller: callersOf(operation, callers, home),
        arguments: fc
          .tuple(...operation.parameters.map((parameter) => argument(document, operation, parameter, home)))
          .map((all) => all.filter((one) => one !== undefined)),
        payload: payloads(document, operation, home),
        type: arbitraryMediaTypes,
        chunked: fc.nat(15).map((turn) => turn === 1),
        headers: arbitraryUnknownHeaders,
        query: fc.oneof(
          { weight: 20, arbitrary: fc.constant([]) },
          arbitraryExtraQueryParts.map((part) => [part])
        ),
        origin: fc.nat(60_000)
      },
      { noNullPrototype: true }
    )
  if (homes.length === 0) return sent(undefined)
  // Prefer recently recorded values, because most of the older resources are in a final state.
  return fc.oneof(fc.constantFrom(...homes), fc.constantFrom(...homes.slice(-15))).chain(sent)
}
