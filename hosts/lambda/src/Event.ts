/** What Lambda is invoked with, told apart by its shape: an HTTP request of one of four sources, or the word that it is time to work. */
import { forwardedAddress } from "@partner-commentary/server/ClientAddress"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Call, joined } from "./Call.ts"
import * as Target from "./Target.ts"

export type Event = { readonly is: "call"; readonly call: Call } | { readonly is: "schedule" }

/** An event that nobody can answer: it says what is missing, and never holds the event. */
export class EventRefused extends Schema.TaggedError<EventRefused>()("EventRefused", { message: Schema.String }) {}

const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.UndefinedOr(Schema.NullOr(schema)))

const One = Schema.Record(Schema.String, Schema.String)
const Many = Schema.Record(Schema.String, Schema.Array(Schema.String))

const body = { body: optional(Schema.String), isBase64Encoded: optional(Schema.Boolean) }

/** Of an HTTP API, and of a function URL, which speaks the same. */
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

/** Of a REST API; of an HTTP API, where it was told to speak so. */
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

export const read = (event: unknown): Result.Result<Event, EventRefused> => {
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
    "This function takes events of API Gateway, function URLs, Application Load Balancers and EventBridge schedules, and this is none"
  )
}

const refuse = (message: string) => Result.fail(new EventRefused({ message }))

const fields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

const call = <A>(
  source: string,
  schema: Schema.Codec<A, unknown>,
  event: unknown,
  read: (event: A) => Call
): Result.Result<Event, EventRefused> =>
  Result.match(Schema.decodeUnknownResult(schema)(event), {
    onSuccess: (decoded) => Result.succeed<Event>({ is: "call", call: read(decoded) }),
    onFailure: (error) => refuse(`This looks like an event of ${source}, but is none: ${places(error)}`)
  })

/** Where it is not as it should be, never with what stands there. */
const places = (error: Schema.SchemaError): string => String(error.message).replaceAll(/, got .*$/gm, "")

const decoded = ({ body, isBase64Encoded }: (typeof Version2)["Type"] | (typeof LoadBalancer)["Type"]): Call["body"] =>
  typeof body === "string" ? new Uint8Array(Buffer.from(body, isBase64Encoded === true ? "base64" : "utf8")) : null

/** The address that API Gateway makes by itself has the stage before every path, a domain of one's own has what it was given. */
const isGenerated = (domain: string | null | undefined): boolean => /\.execute-api\./.test(domain ?? "")

/** The stage in the address, there alone; `isLeft` where the gateway leaves it in the path, too. */
const stageOf = ({ domainName, stage }: Place, isLeft: boolean) =>
  stage == null || stage === "$default" || !isGenerated(domainName) ? undefined : { path: `/${stage}`, isLeft }

interface Place {
  readonly domainName?: string | null | undefined
  readonly stage?: string | null | undefined
}

/** The stage goes, then what others put before that; where `PUBLIC_URL`'s path is the stage itself, it goes once. */
const below =
  (path: string, query: string, stage?: ReturnType<typeof stageOf>): Call["targetBelow"] =>
  (prefix) => {
    const staged = stage?.isLeft === true ? Target.without(stage.path, path) : path
    const own = Target.encodedPath(stage?.path === prefix ? staged : Target.without(prefix, staged))
    return query === "" ? own : `${own}?${query}`
  }

const fromVersion2 = (event: (typeof Version2)["Type"]): Call => {
  const { cookies, headers, rawPath, rawQueryString, requestContext } = event
  const sent = Object.entries(headers ?? {}).map(([name, value]) => [name, [value]] as const)
  return {
    method: requestContext.http.method,
    targetBelow: below(rawPath, rawQueryString ?? "", stageOf(requestContext, true)),
    headers: joined([...sent, ...(cookies == null ? [] : [["cookie", cookies] as const])]),
    body: decoded(event),
    address: requestContext.http.sourceIp ?? "",
    answerAs: "http-api"
  }
}

/** A REST API takes its stage off by itself, an HTTP API does not. */
const fromVersion1 = (event: (typeof Version1)["Type"]): Call => ({
  method: event.httpMethod,
  targetBelow: below(
    event.path,
    Target.queryDecoded(parameters(event)),
    stageOf(event.requestContext, event.version === "1.0")
  ),
  headers: headersOf(event),
  body: decoded(event),
  address: event.requestContext.identity.sourceIp ?? "",
  answerAs: formOf(event)
})

/** The load balancer leaves the query as it was sent. It puts who connected at the right of what others claim. */
const fromLoadBalancer = (event: Pairs): Call => {
  const headers = headersOf(event)
  return {
    method: event.httpMethod,
    targetBelow: below(event.path, Target.queryAsSent(parameters(event))),
    headers,
    body: decoded(event),
    address: forwardedAddress((headers["x-forwarded-for"] ?? "").split(",").at(-1) ?? "") ?? "",
    answerAs: formOf(event)
  }
}

type Pairs = (typeof LoadBalancer)["Type"]

const formOf = ({ multiValueHeaders }: Pairs) => (multiValueHeaders == null ? "headers" : "multi-value-headers")

/** What is there several times is only in the one of both that holds several. */
const headersOf = ({ headers, multiValueHeaders }: Pairs) => joined(Object.entries(multiValueHeaders ?? lists(headers)))

const parameters = ({ multiValueQueryStringParameters, queryStringParameters }: Pairs) =>
  multiValueQueryStringParameters ?? lists(queryStringParameters)

const lists = (values: Readonly<Record<string, string>> | null | undefined) =>
  Object.fromEntries(Object.entries(values ?? {}).map(([name, value]) => [name, [value]]))
