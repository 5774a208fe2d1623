/** What the description owes its readers beyond what the linters ask: words and examples for every part of it. */
import { envelopesOf } from "@partner-commentary/api/description/Answers"
import type { Document, JsonSchema, Operation, Parameter } from "@partner-commentary/api/description/Document"
import { resolve } from "@partner-commentary/api/description/SchemaText"
import { type DocumentRule, type Draft, type Mutable, plant } from "./Plant.ts"

interface Place {
  readonly at: string
  readonly schema: JsonSchema
}

const operations = ({ paths }: Document): ReadonlyArray<{ readonly at: string; readonly operation: Operation }> =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ at: `${method.toUpperCase()} ${path}`, operation }))
  )

/** Every named field, wherever it stands; what a reference leads to stands by itself. */
const fieldsOf = ({ at, schema }: Place): ReadonlyArray<Place> => [
  ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const field = { at: `${at}.${name}`, schema: inner }
    return [field, ...fieldsOf(field)]
  }),
  ...(schema.items === undefined ? [] : fieldsOf({ at: `${at}[]`, schema: schema.items })),
  ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((inner) => fieldsOf({ at, schema: inner }))
]

const bodies = (document: Document): ReadonlyArray<Place> =>
  operations(document).flatMap(({ at, operation: { requestBody, responses } }) => [
    ...Object.values(requestBody?.content ?? {}).map(({ schema }) => ({ at: `${at} request`, schema })),
    ...Object.entries(responses).flatMap(([status, { content = {} }]) =>
      Object.values(content).map(({ schema }) => ({ at: `${at} ${status}`, schema }))
    )
  ])

const fields = (document: Document): ReadonlyArray<Place> =>
  [...Object.entries(document.components.schemas).map(([at, schema]) => ({ at, schema })), ...bodies(document)].flatMap(
    fieldsOf
  )

const hasWords = (text: string | undefined) => text !== undefined && text.trim().length > 2

/** By itself, by its parts, or by being one of a kind. */
const isShown = (schema: JsonSchema): boolean =>
  schema.$ref !== undefined ||
  schema.type === "null" ||
  schema.examples !== undefined ||
  schema.enum?.length === 1 ||
  schema.properties !== undefined ||
  (schema.items !== undefined && isShown(schema.items)) ||
  [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].some((inner) => isShown(inner) && inner.type !== "null")

/** A request's fields and the entries of its lists, through references. */
const sentFields = (document: Document, { at, schema }: Place): ReadonlyArray<Place> => {
  const { items, properties = {}, ...own } = resolve(schema, document.components.schemas)
  return [
    { at, schema: own },
    ...(items === undefined ? [] : sentFields(document, { at: `${at}[]`, schema: items })),
    ...Object.entries(properties).flatMap(([name, inner]) =>
      sentFields(document, { at: `${at}.${name}`, schema: inner })
    ),
    ...[...(own.anyOf ?? []), ...(own.oneOf ?? [])].flatMap((inner) => sentFields(document, { at, schema: inner }))
  ]
}

const isBounded = ({
  enum: values,
  format,
  maxItems,
  maxLength,
  maximum,
  minimum,
  pattern,
  type
}: JsonSchema): boolean => {
  if (type === "string") return [values, format, maxLength, pattern].some((limit) => limit !== undefined)
  if (type === "array") return maxItems !== undefined
  return (type !== "integer" && type !== "number") || (minimum !== undefined && maximum !== undefined)
}

/** Its value is a new one each time: an example would be copied, and be another request's. */
const isNewEachTime = (name: string) => name === "Idempotency-Key"

/** An example of a secret would be copied, and be known to everybody. */
const isSecret = (at: string) => at.endsWith(".secret")

const parametersOf = ({ parameters }: Operation) => parameters.filter((one): one is Parameter => "name" in one)

const schemaOf = (draft: Draft, name: string) => draft.components.schemas[name]!

/** The operation that plants are put into. */
const create = (draft: Draft) => draft.paths["/partner/v1/topics"]!["post"]!

const field = (draft: Draft) => schemaOf(draft, "Topic").properties!["content"]!

export const completeness: ReadonlyArray<DocumentRule> = [
  {
    name: "every field has a description",
    find: (document) =>
      fields(document)
        .filter(({ schema }) => schema.$ref === undefined && !hasWords(schema.description))
        .map(({ at }) => `${at} has no description`),
    refuses: [
      plant("a field without words", (draft) => delete field(draft).description),
      plant("a field with an empty description", (draft) => {
        field(draft).description = " "
      }),
      plant("a field deep inside", (draft) => {
        schemaOf(draft, "TopicProgress").properties!["personas"]!.items = {
          type: "object",
          properties: { planted: { type: "string", examples: ["a"] } }
        }
      })
    ],
    accepts: [
      plant("a field that leads to another schema", (draft) => {
        schemaOf(draft, "Topic").properties!["planted"] = { $ref: "#/components/schemas/Persona" }
      })
    ]
  },
  {
    name: "every field has an example, unless it is a secret of the caller's",
    find: (document) =>
      fields(document)
        .filter(({ at, schema }) => !isShown(schema) && !isSecret(at))
        .map(({ at }) => `${at} has no example`),
    refuses: [
      plant("a field without an example", (draft) => delete field(draft).examples),
      plant("a list of nothing in particular", (draft) => {
        schemaOf(draft, "Topic").properties!["planted"] = {
          type: "array",
          description: "Planted.",
          items: { type: "string" }
        }
      })
    ],
    accepts: [
      plant("a secret of the caller's, which an example would make known", (draft) => {
        schemaOf(draft, "CreateTopic").properties!["secret"] = {
          type: "string",
          description: "Planted.",
          maxLength: 256
        }
      }),
      plant("a field that has one value only", (draft) => {
        schemaOf(draft, "Topic").properties!["planted"] = { type: "string", description: "Planted.", enum: ["a"] }
      })
    ]
  },
  {
    name: "everything that is sent has limits",
    find: (document) =>
      operations(document)
        .flatMap(({ at, operation }) => [
          ...parametersOf(operation).map(({ name, schema }) => ({ at: `${at}: the parameter ${name}`, schema })),
          ...Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) =>
            sentFields(document, { at, schema })
          )
        ])
        .filter(({ schema }) => !isBounded(schema))
        .map(({ at }) => `${at} has no limits`),
    refuses: [
      plant("a number without an end", (draft) => {
        const limit = draft.paths["/partner/v1/topics"]!["get"]!.parameters[1] as Mutable<Parameter>
        delete limit.schema.maximum
      }),
      plant(
        "a text without an end",
        (draft) => delete schemaOf(draft, "CreateTopic").properties!["content"]!.maxLength
      ),
      plant(
        "a list without an end",
        (draft) => delete schemaOf(draft, "CreateTopic").properties!["persona_ids"]!.maxItems
      ),
      plant("a list of texts without an end", (draft) => {
        schemaOf(draft, "CreateTopic").properties!["persona_ids"]!.items = { type: "string" }
      })
    ],
    accepts: []
  },
  {
    name: "every parameter has a description, and an example unless its value is new each time",
    find: (document) =>
      operations(document).flatMap(({ at, operation }) =>
        parametersOf(operation).flatMap(({ description, name, schema }) => [
          ...(hasWords(description) ? [] : [`${at}: the parameter ${name} has no description`]),
          ...(isShown(schema) || isNewEachTime(name) ? [] : [`${at}: the parameter ${name} has no example`]),
          ...(schema.examples !== undefined && isNewEachTime(name)
            ? [`${at}: the parameter ${name} has an example, which would be sent by many`]
            : [])
        ])
      ),
    refuses: [
      plant("a parameter without words", (draft) => {
        create(draft).parameters.push({
          name: "a",
          in: "query",
          required: false,
          schema: { type: "string", examples: ["a"] }
        })
      }),
      plant("a parameter without an example", (draft) => {
        create(draft).parameters.push({
          name: "a",
          in: "query",
          required: false,
          description: "Planted.",
          schema: { type: "string" }
        })
      }),
      plant("an idempotency key to copy", (draft) => {
        draft.paths["/partner/v1/topics"]!["get"]!.parameters.push({
          name: "Idempotency-Key",
          in: "header",
          required: false,
          description: "Planted.",
          schema: { type: "string", examples: ["a"] }
        })
      })
    ],
    accepts: []
  },
  {
    name: "every operation has a name, a summary, a description and a described group",
    find: (document) => {
      const groups = new Set(document.tags.filter(({ description }) => hasWords(description)).map(({ name }) => name))
      return operations(document).flatMap(({ at, operation: { description, operationId, summary, tags } }) => [
        ...(/^[a-z]+([A-Z][a-z]+)+$/.test(operationId)
          ? []
          : [`${at} is named ${operationId}: annotate an identifier`]),
        ...(hasWords(summary) ? [] : [`${at} has no summary`]),
        ...(hasWords(description) ? [] : [`${at} has no description`]),
        ...(tags.every((tag) => groups.has(tag)) ? [] : [`${at}: its group ${tags.join()} has no title or description`])
      ])
    },
    refuses: [
      plant("an operation under its inner name", (draft) => {
        create(draft).operationId = "topics.create"
      }),
      plant("an operation without a summary", (draft) => delete create(draft).summary),
      plant("an operation without a description", (draft) => delete create(draft).description),
      plant("a group without a description", (draft) => delete draft.tags[0]!.description)
    ],
    accepts: []
  },
  {
    name: "every operation says who may call it",
    find: (document) =>
      operations(document).flatMap(({ at, operation }) => [
        ...(operation.security.length > 0 ? [] : [`${at} asks for no key or token: give its middleware a scheme`]),
        ...(operation.security.some((one) => "ApiKey" in one) && operation["x-required-scope"] === undefined
          ? [`${at} names no scope`]
          : [])
      ]),
    refuses: [
      plant("an open operation", (draft) => {
        create(draft).security = []
      }),
      plant("a key without a scope", (draft) => delete create(draft)["x-required-scope"])
    ],
    accepts: [
      plant("a token, which has no scopes", (draft) => {
        create(draft).security = [{ DashboardToken: [] }]
        delete create(draft)["x-required-scope"]
      })
    ]
  },
  {
    name: "every operation may be refused by anybody's limits, faults and keys",
    find: (document) =>
      operations(document).flatMap(({ at, operation: { parameters, responses } }) =>
        ["400", "401", "429", "500", ...(parameters.some((one) => "in" in one && one.in === "path") ? ["404"] : [])]
          .filter((status) => !(status in responses))
          .map((status) => `${at} never answers ${status}`)
      ),
    refuses: ["400", "401", "429", "500"].map((status) =>
      plant(`an operation without ${status}`, (draft) => delete create(draft).responses[status])
    ),
    accepts: []
  },
  {
    name: "every answer has an example, one for each error code",
    find: (document) =>
      operations(document).flatMap(({ at, operation: { requestBody, responses } }) => [
        ...Object.values(requestBody?.content ?? {}).flatMap(({ example }) =>
          example === undefined ? [`${at}: the request has no example`] : []
        ),
        ...Object.entries(responses).flatMap(([status, { content = {} }]) =>
          Object.values(content).flatMap(({ example, examples = {}, schema }) => {
            if (Number(status) < 400) return example === undefined ? [`${at} ${status} has no example`] : []
            const codes = envelopesOf(schema, document.components.schemas).length
            return Object.keys(examples).length === codes ? [] : [`${at} ${status}: not every code has an example`]
          })
        )
      ]),
    refuses: [
      plant("an error code without an example", (draft) => {
        delete create(draft).responses["400"]!.content!["application/json"]!.examples!["no_valid_personas"]
      }),
      plant("an answer without an example", (draft) => {
        delete create(draft).responses["201"]!.content!["application/json"]!.example
      }),
      plant("a request without an example", (draft) => {
        delete create(draft).requestBody!.content["application/json"]!.example
      })
    ],
    accepts: []
  }
]
