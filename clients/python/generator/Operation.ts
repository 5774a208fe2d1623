/** Describes each operation for the Python client: class, method, parameters and result. */
import type { JsonSchema, OpenApiDocument, Parameter } from "@partner-commentary/api/description/Document"
import { referencedName, type TypeNameResolver, toPythonType, toSnakeCase } from "./PythonTypes.ts"

const prefix = "/partner/v1"

/** Method names for operations whose generated names would be reserved words or unclear. */
const named: Readonly<Record<string, string>> = { createTopics: "create_many" }

export interface PythonParameter {
  readonly name: string
  /** The name of the parameter in the request. */
  readonly key: string
  readonly type: string
  readonly required: boolean
}

export interface PythonMethod {
  /** The name of the group, such as `topics`. */
  readonly group: string
  readonly method: string
  readonly isDashboard: boolean
  readonly verb: string
  /** The content of a Python f-string. */
  readonly path: string
  readonly summary: string
  readonly ids: ReadonlyArray<string>
  readonly query: ReadonlyArray<PythonParameter>
  /** The parameters of the Python method that form the request body. Undefined for a request without a body. */
  readonly body: ReadonlyArray<PythonParameter> | undefined
  /** True if the service stores the response for an idempotency key. */
  readonly idempotent: boolean
  readonly result: string
  /** The type of the items, if the result is a paged list. */
  readonly item: string | undefined
  /** True if the method returns the whole envelope instead of its `data`. */
  readonly whole: boolean
}

const names: TypeNameResolver = {
  scope: "models.",
  list: "List",
  inline: (schema) => {
    throw new Error(`give this schema an identifier: ${JSON.stringify(schema).slice(0, 200)}`)
  }
}

/** Callers may pass a `datetime` object for a time, and any sequence for a list. */
const argumentType = (schema: JsonSchema): string =>
  schema.format === "date-time" ? "str | datetime" : toPythonType(schema, names).replace(/^List\[/, "Sequence[")

/** For example, `getTopicStatus` of the group `topics` becomes `status`, and `cancelTopic` becomes `cancel`. */
const methodOf = (operationId: string, group: string): string => {
  const [verb = "", ...words] = toSnakeCase(operationId).split("_")
  const nouns = new Set(group.split("_").flatMap((noun) => [noun, noun.replace(/s$/, "")]))
  const rest = words.filter((word, index) => !(nouns.has(word) || (group === "test" && index < 2)))
  return named[operationId] ?? (/^(get|list)$/.test(verb) && rest.length > 0 ? rest : [verb, ...rest]).join("_")
}

const argument = ({ name, required, schema }: Pick<Parameter, "name" | "required" | "schema">): PythonParameter => ({
  name: toSnakeCase(name),
  key: name,
  type: argumentType(schema),
  required
})

export const describePythonMethods = ({ components, paths }: OpenApiDocument): ReadonlyArray<PythonMethod> => {
  const resolve = (schema: JsonSchema): JsonSchema =>
    schema.$ref === undefined ? schema : (components.schemas[referencedName(schema.$ref)] ?? {})
  const shared = components.parameters ?? {}
  const described = Object.entries(paths).filter(([path]) => path.startsWith(`${prefix}/`))
  const operations = described.flatMap(([path, verbs]) =>
    Object.entries(verbs).flatMap(
      ([verb, { operationId, parameters = [], requestBody, responses, security, summary }]) => {
        const answer = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1]
        const success = answer?.content?.["application/json"]?.schema
        // A stream of events has no JSON body.
        if (success === undefined) return []
        const below = path.slice(prefix.length)
        const group = toSnakeCase(below.split("/")[1] ?? "")
        const envelope = resolve(success).properties ?? {}
        const body = requestBody?.content["application/json"]?.schema
        const { properties = {}, required = [] } = body === undefined ? {} : resolve(body)
        const given = parameters.flatMap((each) =>
          "schema" in each ? [each] : (shared[referencedName(each.$ref)] ?? [])
        )
        const isPaged = "pagination" in envelope
        const whole = isPaged || !("data" in envelope)
        return [
          {
            group,
            method: methodOf(operationId, group),
            isDashboard: security.some((scheme) => "DashboardToken" in scheme),
            verb: verb.toUpperCase(),
            path: below.replace(/\{(\w+)\}/g, (_, name) => `{segment(${toSnakeCase(name)})}`),
            summary: summary ?? "",
            ids: given.filter((each) => each.in === "path").map(({ name }) => toSnakeCase(name)),
            query: given.filter((each) => each.in === "query").map(argument),
            body:
              body === undefined
                ? undefined
                : Object.entries(properties).map(([name, schema]) =>
                    argument({ name, schema, required: required.includes(name) })
                  ),
            idempotent: given.some(({ name }) => name === "Idempotency-Key"),
            result: toPythonType(whole ? success : (envelope["data"] ?? {}), names),
            item: isPaged ? toPythonType(envelope["data"]?.items ?? {}, names) : undefined,
            whole
          } satisfies PythonMethod
        ]
      }
    )
  )
  const methods = operations.map(({ group, method }) => `${group}.${method}`)
  const twice = methods.find((name, index) => methods.indexOf(name) !== index)
  if (twice !== undefined)
    throw new Error(`two operations are ${twice} in Python: name one in clients/python/generator/Operation.ts`)
  return operations
}
