/**
 * Generates the OpenAPI 3.1 description from the contract with Effect, and adds details that Effect cannot derive. The
 * code that generates the OpenAPI description contains no endpoint names, so it describes new endpoints automatically.
 */
import { type ApiKeyScope, topicScopesByWebhookScope } from "@partner-commentary/core/access/Scope"
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as SchemaAST from "effect/SchemaAST"
import { RequiredScope, SupportsConditionalRequests, SupportsWaitPreference } from "../ApiKeyAuth.ts"
import { schemaKeywordsAnnotation } from "../Documented.ts"
import { ExampleErrors } from "../ErrorGuide.ts"
import { InvalidRequest, NotFound, ScopeDenied, type WireError } from "../Errors.ts"
import type { SecurityScheme } from "../SecurityScheme.ts"
import { addDiscriminators } from "./Alternatives.ts"
import {
  type JsonValue,
  jsonContentType,
  mapValues,
  type OpenApiDocument,
  type Operation,
  type Parameter
} from "./Document.ts"
import { findExample } from "./ExampleValue.ts"
import { apiIntroduction } from "./Guidance.ts"
import { headerDefinitions, headerParameters, makeHeaderReference, makeParameterReference } from "./Headers.ts"
import { makeExampleProblem, makeNotFoundMessage } from "./Problems.ts"
import {
  describeNotModifiedResponse,
  describeResponses,
  formatHeaderName,
  requestTimeoutResponses,
  serviceBusyResponses
} from "./Responses.ts"
import { patternAnnotation, removeEncodedSuffix, toPublishedSchemas } from "./SchemaText.ts"
import { describeSentEvents } from "./SentEvents.ts"
import { apiTitle, apiVersion } from "./Title.ts"

/** The endpoint's data that the contract contains but Effect's generated description lacks. */
interface Facts {
  readonly scope: ApiKeyScope | undefined
  readonly schemes: ReadonlyArray<SecurityScheme>
  readonly examples: ReadonlyArray<WireError>
  readonly isConditional: boolean
  readonly canWait: boolean
}

const options: OpenApi.FromApiOptions = {
  includeAnnotationKey: (key) => key === schemaKeywordsAnnotation || key === patternAnnotation
}

/** Returns the API description. `apiRoot` is the server's URL without a trailing slash. */
export const generateOpenApiDocument = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  apiRoot: string
): OpenApiDocument => {
  const meanings = new Map<string, string>()
  const facts = factsOf(api, meanings)
  const generated = toPublishedSchemas(
    OpenApi.fromApi(api, options) as unknown as JsonValue
  ) as unknown as OpenApiDocument
  const known = Object.fromEntries(
    Object.entries(generated.components.schemas)
      .map(([encoded, schema]) => {
        const name = removeEncodedSuffix(encoded)
        const description = schema.description ?? meanings.get(name)
        return [name, description === undefined ? schema : { description, ...schema }] as const
      })
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
  )
  const schemas = addDiscriminators(known, known)
  const schemes = new Map([...facts.values()].flatMap((fact) => fact.schemes.map(({ name, scheme }) => [name, scheme])))
  const paths = addDiscriminators(
    mapValues(generated.paths, (operations, path) =>
      mapValues(operations, (operation, method) =>
        describeOperation(operation, path, facts.get(`${method} ${path}`) ?? unknown, schemas)
      )
    ),
    schemas
  )
  return {
    openapi: generated.openapi,
    info: {
      title: apiTitle,
      version: apiVersion,
      summary: "Opinion commentary from licensed personas",
      description: apiIntroduction,
      contact: { name: "Partner Commentary" },
      license: { name: "MIT", url: "https://opensource.org/license/mit" }
    },
    servers: [{ url: apiRoot, description: "This service" }],
    tags: distinct(generated.tags),
    paths,
    webhooks: describeSentEvents(schemas),
    components: {
      schemas: usedSchemas(schemas, paths),
      parameters: headerParameters,
      headers: headersOfPaths(paths),
      securitySchemes: { ...generated.components.securitySchemes, ...Object.fromEntries(schemes) }
    }
  }
}

/** Merges tags with the same name and keeps the description of the first tag. */
const distinct = (tags: OpenApiDocument["tags"]) =>
  tags.filter(({ name }, at) => tags.findIndex((one) => one.name === name) === at)

/** Returns only those headers to which a response refers. */
const headersOfPaths = (paths: OpenApiDocument["paths"]) => {
  const text = JSON.stringify(paths)
  return Object.fromEntries(
    Object.entries(headerDefinitions).filter(([name]) =>
      text.includes(makeHeaderReference(name as keyof typeof headerDefinitions).$ref)
    )
  )
}

/** Returns only those schemas to which an operation refers, directly or through other schemas. */
const usedSchemas = (schemas: OpenApiDocument["components"]["schemas"], paths: OpenApiDocument["paths"]) => {
  const used = new Set<string>()
  const follow = (part: unknown): void => {
    for (const [, name = ""] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(name)) continue
      used.add(name)
      follow(schemas[name])
    }
  }
  follow(paths)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)))
}

const unknown: Facts = { scope: undefined, schemes: [], examples: [], isConditional: false, canWait: false }

const factsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  meanings: Map<string, string>
): ReadonlyMap<string, Facts> => {
  const facts = new Map<string, Facts>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors, mergedAnnotations, middleware }) => {
      for (const { ast } of [...errors.values()].flat()) {
        const name = SchemaAST.resolveIdentifier(ast)
        const meaning = SchemaAST.resolveDescription(ast)
        if (name !== undefined && meaning !== undefined) meanings.set(name, meaning)
      }
      facts.set(`${endpoint.method.toLowerCase()} ${endpoint.path.replace(/:(\w+)/g, "{$1}")}`, {
        scope: Context.getOrUndefined(mergedAnnotations, RequiredScope),
        schemes: [...middleware].flatMap((one) => ("scheme" in one ? [one.scheme as SecurityScheme] : [])),
        examples: Context.getOrUndefined(mergedAnnotations, ExampleErrors) ?? [],
        isConditional: Context.getOrUndefined(mergedAnnotations, SupportsConditionalRequests) ?? false,
        canWait: Context.getOrUndefined(mergedAnnotations, SupportsWaitPreference) ?? false
      })
    }
  })
  return facts
}

const describeOperation = (
  operation: Operation,
  path: string,
  { canWait, examples, isConditional, schemes, scope }: Facts,
  schemas: OpenApiDocument["components"]["schemas"]
): Operation => {
  const own = operation.parameters.filter((one): one is Parameter => "name" in one).map(moveDescriptionToParameter)
  const problem = makeExampleProblem(operation, own, schemas)
  const missing = makeNotFoundMessage(path)
  const shown = [
    ...(problem === undefined ? [] : [InvalidRequest.of([problem])]),
    ...(missing === undefined ? [] : [NotFound.of(missing)]),
    ...(scope === undefined ? [] : [ScopeDenied.of(scope)]),
    ...examples
  ]
  const { description, operationId, requestBody, responses, summary, tags, ...rest } = operation
  return {
    tags,
    operationId,
    ...(summary === undefined ? {} : { summary }),
    ...(description === undefined
      ? {}
      : { description: scope === undefined ? description : `${description}\n\n${scopeText(scope)}` }),
    ...(scope === undefined ? {} : { "x-required-scope": topicScopesByWebhookScope[scope] ?? scope }),
    ...(scope === undefined || topicScopesByWebhookScope[scope] === undefined ? {} : { "x-webhook-scope": scope }),
    ...rest,
    security: [...rest.security, ...schemes.map(({ name }) => ({ [name]: [] }))],
    parameters: [
      ...own,
      ...(isConditional ? [makeParameterReference("IfNoneMatch")] : []),
      ...(canWait ? [makeParameterReference("Prefer")] : []),
      makeParameterReference("RequestId")
    ],
    ...(requestBody === undefined
      ? {}
      : { requestBody: { ...requestBody, content: addRequestExamples(requestBody, schemas) } }),
    responses: {
      ...describeResponses(responses, {
        schemas,
        summary,
        replays: own.some(({ name }) => name === "Idempotency-Key"),
        isConditional,
        canWait,
        shown: new Map(shown.map((error) => [error.error.code, error]))
      }),
      ...(isConditional ? describeNotModifiedResponse(canWait) : {}),
      ...requestTimeoutResponses,
      ...serviceBusyResponses
    }
  }
}

const scopeText = (scope: ApiKeyScope): string =>
  topicScopesByWebhookScope[scope] === undefined
    ? `Scope: \`${scope}\`.`
    : `Scope: \`${scope}\`, or \`${topicScopesByWebhookScope[scope]}\` for a key without any webhook scope.`

/** Moves the description of a parameter from the parameter's schema to the parameter itself. */
const moveDescriptionToParameter = ({ name, schema: { description, ...schema }, ...rest }: Parameter): Parameter => ({
  ...rest,
  name: rest.in === "header" ? formatHeaderName(name) : name,
  ...(description === undefined ? {} : { description }),
  schema
})

const addRequestExamples = (
  { content }: NonNullable<Operation["requestBody"]>,
  schemas: OpenApiDocument["components"]["schemas"]
) =>
  mapValues(content, (media, type) => {
    const example = type === jsonContentType ? findExample(media.schema, schemas) : undefined
    return example === undefined ? media : { ...media, example }
  })
