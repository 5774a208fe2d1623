/**
 * Detects the kind of a Lambda event from its fields, and decodes the event. An event is a schedule, or an HTTP request
 * from a REST API, an HTTP API, a function URL or a load balancer.
 */
import { parseForwardedAddress } from "@partner-commentary/server/ClientAddress"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { makeInvalidArgumentError, type PartnerCommentaryError } from "../PartnerCommentaryError.ts"
import { type GatewayRequest, joinHeaderValues } from "./GatewayRequest.ts"
import * as RequestTarget from "./RequestTarget.ts"

export type LambdaEvent = { readonly is: "call"; readonly call: GatewayRequest } | { readonly is: "schedule" }

const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.UndefinedOr(Schema.NullOr(schema)))

const One = Schema.Record(Schema.String, Schema.String)
const Many = Schema.Record(Schema.String, Schema.Array(Schema.String))

const body = { body: optional(Schema.String), isBase64Encoded: optional(Schema.Boolean) }

/** The event of an HTTP API and of a function URL (payload format 2.0). */
const Version2 = Schema.Struct({
  rawPath: Schema.String,
  rawQueryString: optional(Schema.String),
  headers: optional(One),
  cookies: optional(Schema.Array(Schema.String)),
  requestContext: Schema.Struct({
    http: Schema.Struct({ method: Schema.String, sourceIp: optional(Schema.String) }),
    stage: optional(Schema.String),
    domainName: optional(Schema.String)
  }),
  ...body
})

const pairs = {
  httpMethod: Schema.String,
  path: Schema.String,
  headers: optional(One),
  multiValueHeaders: optional(Many),
  queryStringParameters: optional(One),
  multiValueQueryStringParameters: optional(Many),
  ...body
}

/** The event of a REST API, and of an HTTP API with payload format 1.0. */
const Version1 = Schema.Struct({
  ...pairs,
  version: optional(Schema.String),
  requestContext: Schema.Struct({
    identity: Schema.Struct({ sourceIp: optional(Schema.String) }),
    stage: optional(Schema.String),
    domainName: optional(Schema.String)
  })
})

const LoadBalancer = Schema.Struct(pairs)

export const decodeLambdaEvent = (event: unknown): Result.Result<LambdaEvent, PartnerCommentaryError> => {
  const { "detail-type": detail, httpMethod, requestContext, source, version } = fields(event)
  const { elb, http, identity } = fields(requestContext)
  if (elb !== undefined) return call("a load balancer", LoadBalancer, event, fromLoadBalancer)
  if (http !== undefined || version === "2.0") {
    return call("an HTTP API or a function URL", Version2, event, fromVersion2)
  }
  if (identity !== undefined || httpMethod !== undefined) {
    return call("a REST API", Version1, event, fromVersion1)
  }
  if (detail === "Scheduled Event" || source === "aws.scheduler") return Result.succeed({ is: "schedule" })
  return refuse(
    "This function takes events of API Gateway, function URLs, Application Load Balancers and EventBridge schedules, and this is none."
  )
}

/** Rejects a Lambda event. The message explains what is wrong, and contains no data from the event. */
const refuse = (message: string) => Result.fail(makeInvalidArgumentError("event", message))

const fields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

const call = <A>(
  source: string,
  schema: Schema.Codec<A, unknown>,
  event: unknown,
  read: (event: A) => GatewayRequest
): Result.Result<LambdaEvent, PartnerCommentaryError> =>
  Result.match(Schema.decodeUnknownResult(schema)(event), {
    onSuccess: (decoded) => Result.succeed<LambdaEvent>({ is: "call", call: read(decoded) }),
    onFailure: (error) => refuse(`This looks like an event of ${source}, but is none: ${places(error)}.`)
  })

/** Returns the path and the message of the first problem, without the rejected value. */
const places = (error: Schema.SchemaError): string => String(error.message).replaceAll(/, got .*$/gm, "")

const decodeBody = ({
  body,
  isBase64Encoded
}: (typeof Version2)["Type"] | (typeof LoadBalancer)["Type"]): GatewayRequest["body"] =>
  typeof body === "string" ? new Uint8Array(Buffer.from(body, isBase64Encoded === true ? "base64" : "utf8")) : null

/**
 * Returns whether API Gateway has generated the domain. Paths on a generated domain start with the stage, and paths on
 * a custom domain start with the base path of its mapping.
 */
const isGenerated = (domain: string | null | undefined): boolean => /\.execute-api\./.test(domain ?? "")

/**
 * Returns the stage of a request to a generated domain, because only URLs of generated domains contain the stage.
 * `isLeft` is true if the path in the event still contains the stage.
 */
const stageOf = ({ domainName, stage }: Place, isLeft: boolean) =>
  stage == null || stage === "$default" || !isGenerated(domainName) ? undefined : { path: `/${stage}`, isLeft }

interface Place {
  readonly domainName?: string | null | undefined
  readonly stage?: string | null | undefined
}

/**
 * Returns a function that removes the stage and then `prefix` from the path. `prefix` is the path of the service's
 * public URL. If `prefix` equals the stage, only the stage is removed.
 */
const below =
  (path: string, query: string, stage?: ReturnType<typeof stageOf>): GatewayRequest["targetBelow"] =>
  (prefix) => {
    const staged = stage?.isLeft === true ? RequestTarget.removePathPrefix(stage.path, path) : path
    const own = RequestTarget.encodePath(
      stage?.path === prefix ? staged : RequestTarget.removePathPrefix(prefix, staged)
    )
    return query === "" ? own : `${own}?${query}`
  }

const fromVersion2 = (event: (typeof Version2)["Type"]): GatewayRequest => {
  const { cookies, headers, rawPath, rawQueryString, requestContext } = event
  const sent = Object.entries(headers ?? {}).map(([name, value]) => [name, [value]] as const)
  return {
    method: requestContext.http.method,
    targetBelow: below(rawPath, rawQueryString ?? "", stageOf(requestContext, true)),
    headers: joinHeaderValues([...sent, ...(cookies == null ? [] : [["cookie", cookies] as const])]),
    body: decodeBody(event),
    address: requestContext.http.sourceIp ?? "",
    answerAs: "http-api"
  }
}

/** Reads a request with payload format 1.0. A REST API removes its stage from the path, and an HTTP API does not. */
const fromVersion1 = (event: (typeof Version1)["Type"]): GatewayRequest => ({
  method: event.httpMethod,
  targetBelow: below(
    event.path,
    RequestTarget.encodeAndJoinQuery(parameters(event)),
    stageOf(event.requestContext, event.version === "1.0")
  ),
  headers: headersOf(event),
  body: decodeBody(event),
  address: event.requestContext.identity.sourceIp ?? "",
  answerAs: formOf(event)
})

/**
 * Reads a load balancer's request. A load balancer passes the query unchanged, and appends the client's address to
 * `X-Forwarded-For`.
 */
const fromLoadBalancer = (event: Pairs): GatewayRequest => {
  const headers = headersOf(event)
  return {
    method: event.httpMethod,
    targetBelow: below(event.path, RequestTarget.joinEncodedQuery(parameters(event))),
    headers,
    body: decodeBody(event),
    address: parseForwardedAddress((headers["x-forwarded-for"] ?? "").split(",").at(-1) ?? "") ?? "",
    answerAs: formOf(event)
  }
}

type Pairs = (typeof LoadBalancer)["Type"]

const formOf = ({ multiValueHeaders }: Pairs) => (multiValueHeaders == null ? "headers" : "multi-value-headers")

/** Returns the headers of the event. Only the field `multiValueHeaders` contains all values of repeated headers. */
const headersOf = ({ headers, multiValueHeaders }: Pairs) =>
  joinHeaderValues(Object.entries(multiValueHeaders ?? lists(headers)))

const parameters = ({ multiValueQueryStringParameters, queryStringParameters }: Pairs) =>
  multiValueQueryStringParameters ?? lists(queryStringParameters)

const lists = (values: Readonly<Record<string, string>> | null | undefined) =>
  Object.fromEntries(Object.entries(values ?? {}).map(([name, value]) => [name, [value]]))
