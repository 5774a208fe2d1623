/** Reads the operations from the served OpenAPI document, the fuzzer's only source about the service. */

// biome-ignore lint/suspicious/noExplicitAny: the document is read without validation
export type UntypedJson = any

export interface JsonSchema {
  readonly [keyword: string]: unknown
}

export interface OpenApiParameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly description?: string
  readonly required?: boolean
  readonly schema: JsonSchema
}

export interface ResponseDescription {
  /** The headers, with their names in lower case. */
  readonly headers: Readonly<Record<string, { readonly required?: boolean; readonly schema: JsonSchema }>>
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema; readonly examples?: object }>>
}

export interface OpenApiOperation {
  readonly name: string
  readonly method: string
  /** A path below `{api_root}`, with each parameter as `{parameter}`. */
  readonly path: string
  readonly parameters: ReadonlyArray<OpenApiParameter>
  readonly body: { readonly schema: JsonSchema; readonly required: boolean } | undefined
  readonly responses: Readonly<Record<string, ResponseDescription>>
  /** The names of the operation's security schemes. Credentials for one of the security schemes are sufficient. */
  readonly schemes: ReadonlyArray<string>
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, UntypedJson>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, UntypedJson>>>>
  readonly security?: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly servers?: ReadonlyArray<{ readonly url: string }>
}

const methods = ["get", "post", "put", "patch", "delete"]

/**
 * Returns all operations of an OpenAPI document. Operations with fewer path parameters come first, because the later
 * operations need ids from the responses of the first operations.
 */
export const listOperations = (document: OpenApiDocument): ReadonlyArray<OpenApiOperation> =>
  Object.entries(document.paths)
    .flatMap(([path, item]) =>
      methods
        .filter((method) => item[method] !== undefined)
        .map((method) => operation(document, path, method, item["parameters"] ?? [], item[method]))
    )
    .toSorted((one, other) => one.path.split("{").length - other.path.split("{").length)

const operation = (
  document: OpenApiDocument,
  path: string,
  method: string,
  shared: ReadonlyArray<unknown>,
  given: UntypedJson
): OpenApiOperation => {
  const body = resolveReference(document, given.requestBody)
  return {
    name: given.operationId ?? `${method} ${path}`,
    method: method.toUpperCase(),
    path: `${basePath(document)}${path}`,
    parameters: [...shared, ...(given.parameters ?? [])].map((one) => resolveReference(document, one)),
    body: body && { schema: body.content["application/json"].schema, required: body.required === true },
    responses: Object.fromEntries(
      Object.entries(given.responses).map(([status, response]) => [status, resolveResponse(document, response)])
    ),
    schemes: (given.security ?? document.security ?? []).flatMap((one: object) => Object.keys(one))
  }
}

/** The path of the OpenAPI document's first server, to which all paths in the document are relative. */
const basePath = ({ servers }: OpenApiDocument): string => {
  const url = servers?.[0]?.url ?? ""
  return url.replace(/^[a-z]+:\/\/[^/]*/, "").replace(/\/$/, "")
}

/** Follows a `$ref` within the document. */
export const resolveReference = (document: OpenApiDocument, given: UntypedJson): UntypedJson => {
  if (typeof given?.$ref !== "string") return given
  const found = given.$ref
    .slice(2)
    .split("/")
    .reduce(
      (at: UntypedJson, key: string) => at?.[decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~")],
      document
    )
  if (found === undefined) throw new Error(`nothing is at ${given.$ref}`)
  return resolveReference(document, found)
}

const resolveResponse = (document: OpenApiDocument, given: UntypedJson): ResponseDescription => {
  const { headers, ...rest } = resolveReference(document, given)
  const entries = Object.entries(headers ?? {}).map(([name, header]) => [
    name.toLowerCase(),
    resolveReference(document, header)
  ])
  return { ...rest, headers: Object.fromEntries(entries) }
}
