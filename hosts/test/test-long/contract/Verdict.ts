/**
 * Decides from the OpenAPI document whether the service had to accept or refuse a request, and whether the reason of a
 * refusal is correct.
 */
import type { OpenApiDocument } from "./Description.ts"
import * as DocumentedRules from "./DocumentedRules.ts"
import type { RawResponse } from "./RawHttp.ts"
import type { GeneratedRequest } from "./Requests.ts"
import { coerceTextToSchemaType, parseJson, type ResponseValidator } from "./ResponseValidator.ts"

/** A schema violation with its field and its reason. */
interface Wrong {
  readonly field: string
  readonly why: string
  readonly value: unknown
}

/** `unclear` is true if the OpenAPI document does not say whether the request is valid. */
interface Reading {
  readonly wrongs: ReadonlyArray<Wrong>
  readonly unclear: boolean
}

const read = (judge: ResponseValidator, sent: GeneratedRequest): Reading => {
  const { body } = sent.operation
  const wrongs: Array<Wrong> = []
  let unclear = sent.query.length > 0 || sent.headers.length > 0
  const look = (field: string, value: unknown, why: string | undefined) => {
    if (why !== undefined) wrongs.push({ field, value, why })
  }
  for (const { odd, parameter, text } of sent.arguments) {
    const value = odd ? undefined : coerceTextToSchemaType(parameter.schema, text)
    if (value === undefined) unclear = true
    else look(parameter.name, value, judge.wrong(parameter.schema, value))
  }
  if (body === undefined) return { wrongs, unclear: unclear || sent.payload !== undefined }
  // In HTTP, an empty body counts as no body.
  const isEmpty = sent.payload !== undefined && "bytes" in sent.payload && sent.payload.bytes.length === 0
  if (sent.payload === undefined || (isEmpty && !body.required)) {
    if (body.required) look("body", undefined, "is required")
    return { wrongs, unclear }
  }
  if (sent.type.right === false) look("content-type", sent.type.type, "is not the one described")
  if (sent.type.right === undefined || "bytes" in sent.payload) return { wrongs, unclear: true }
  const { value } = sent.payload
  for (const [field, problem] of judge.wrongs(body.schema, value)) look(field, at(value, field), problem)
  return { wrongs, unclear }
}

interface Refusal {
  readonly code: string
  readonly details?: { readonly errors?: ReadonlyArray<{ readonly field: string; readonly constraint: string }> }
}

/** Returns the results of the topics in a bulk response, with the error of each refused topic. */
const parts = (answer: unknown): ReadonlyArray<{ readonly index: number; readonly error?: Refusal }> =>
  (answer as { data?: { results?: ReadonlyArray<{ index: number; error?: Refusal }> } }).data?.results?.filter(
    ({ index }) => index !== undefined
  ) ?? []

/** Returns one sentence for each difference from the expected behaviour. */
export const findContractViolations = (
  judge: ResponseValidator,
  sent: GeneratedRequest,
  answered: RawResponse
): ReadonlyArray<string> => {
  const { status } = answered
  const { caller } = sent
  const answer = parseJson(answered.text) ?? {}
  const { unclear, wrongs } = read(judge, sent)
  if (status < 300 && caller.expectedAccess === "none") return [`${caller.name} was let in`]
  if (status < 300) {
    const refused = new Set(parts(answer).flatMap(({ error, index }) => (error === undefined ? [] : [index])))
    const taken = wrongs.filter(
      ({ field, value }) =>
        !refused.has(Number(/^\w+\[(\d+)\]/.exec(field)?.[1] ?? -1)) &&
        DocumentedRules.findDocumentedRule(DocumentedRules.documentedAcceptances, sent, field, value) === undefined
    )
    const reasonless = parts(answer).flatMap(({ error, index }) =>
      error === undefined || unclear || wrongs.some(({ field }) => field.includes(`[${index}]`))
        ? []
        : unexplained(sent, error)
    )
    return [
      ...taken.map(({ field, why }) => `what the description does not allow was taken: ${field} ${why}`),
      ...reasonless
    ]
  }
  if (unclear || wrongs.length > 0 || caller.expectedAccess !== "all") return []
  if (status === 401) return [`${caller.name} was kept out`]
  // Callers with the access `all` have high rate limits, so only limits that cannot be raised may refuse their
  // requests.
  if (status === 429)
    return DocumentedRules.isDocumentedLimit(sent, answered.text) ? [] : [`${caller.name} was limited`]
  return status === 400 ? unexplained(sent, (answer as { error: Refusal }).error) : []
}

/** Returns the reasons of a refusal for which there is no documented rule. */
const unexplained = (sent: GeneratedRequest, { code, details }: Refusal): ReadonlyArray<string> =>
  code !== "invalid_request"
    ? []
    : (details?.errors ?? [])
        .filter(
          ({ field }) =>
            DocumentedRules.findDocumentedRule(
              DocumentedRules.documentedRefusals,
              sent,
              field,
              valueOf(sent, field)
            ) === undefined
        )
        .map(({ constraint, field }) => `refused for what the description does not say: ${field} ${constraint}`)

const valueOf = (sent: GeneratedRequest, field: string): unknown => {
  const argument = sent.arguments.find(({ parameter }) => parameter.name === field)
  return (
    argument?.text ??
    (sent.payload !== undefined && "value" in sent.payload ? at(sent.payload.value, field) : undefined)
  )
}

/** Returns the value at a path such as `topics[3].content`. */
const at = (value: unknown, field: string): unknown =>
  field === "body"
    ? value
    : [...field.matchAll(/[^.[\]]+/g)].reduce(
        (inner: unknown, [key]) =>
          typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>)[key] : undefined,
        value
      )

/** Returns the sentences of the rules in DocumentedRules.ts that the OpenAPI document does not contain. */
export const findMissingRules = (document: OpenApiDocument): ReadonlyArray<string> => {
  const words: Array<string> = []
  JSON.stringify(document, (_, value) => {
    if (typeof value === "string") words.push(value)
    return value
  })
  const all = words.join("\n")
  return [
    ...DocumentedRules.documentedRefusals,
    ...DocumentedRules.documentedAcceptances,
    ...DocumentedRules.documentedLimits
  ]
    .map(({ sentence }) => sentence)
    .filter((one) => !all.includes(one))
}
