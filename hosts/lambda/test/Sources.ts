/** Builds each source's event for one request, based on the documented example event of the source. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { HostComparisonRequest } from "@partner-commentary/test/HostRequests"

const folder = join(import.meta.dirname, "events")

// biome-ignore lint/suspicious/noExplicitAny: a Lambda event is untyped JSON
export const readExampleEvent = (name: string): any => JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"))

export const testClientAddress = "203.0.113.9"

const body = ({ body }: HostComparisonRequest) =>
  body === undefined
    ? { body: null, isBase64Encoded: false }
    : typeof body === "string"
      ? { body, isBase64Encoded: false }
      : { body: Buffer.from(body).toString("base64"), isBase64Encoded: true }

const split = ({ target }: HostComparisonRequest) => {
  const at = target.indexOf("?")
  return at < 0 ? { path: target, query: "" } : { path: target.slice(0, at), query: target.slice(at + 1) }
}

const lists = (pairs: ReadonlyArray<readonly [string, string]>) => {
  const found: Record<string, Array<string>> = {}
  for (const [name, value] of pairs) found[name] = [...(found[name] ?? []), value]
  return Object.keys(found).length === 0 ? null : found
}

const keepLastValues = (pairs: ReadonlyArray<readonly [string, string]>) => Object.fromEntries(pairs)

const rawPairs = (query: string) =>
  query === ""
    ? []
    : query.split("&").map((part) => {
        const [name = "", ...value] = part.split("=")
        return [name, value.join("=")] as const
      })

const decodedPairs = (query: string) => [...new URLSearchParams(query)]

const forwarded = (asked: HostComparisonRequest) => [
  ...(asked.headers ?? []).filter(([name]) => name.toLowerCase() !== "x-forwarded-for"),
  [
    "x-forwarded-for",
    [
      ...(asked.headers ?? []).filter(([name]) => name.toLowerCase() === "x-forwarded-for").map(([, value]) => value),
      testClientAddress
    ].join(", ")
  ] as const
]

const version2 = (name: string, stage: string) => (asked: HostComparisonRequest) => {
  const event = readExampleEvent(name)
  const { path, query } = split(asked)
  const rawPath = stage === "$default" ? path : `/${stage}${path}`
  return {
    ...event,
    rawPath,
    rawQueryString: query,
    cookies: undefined,
    headers: Object.fromEntries(
      Object.entries(lists(forwarded(asked)) ?? {}).map(([key, values]) => [key.toLowerCase(), values.join(",")])
    ),
    requestContext: {
      ...event.requestContext,
      stage,
      http: { ...event.requestContext.http, method: asked.method, path: rawPath, sourceIp: testClientAddress }
    },
    ...body(asked)
  }
}

const version1 = (name: string, before: string) => (asked: HostComparisonRequest) => {
  const event = readExampleEvent(name)
  const { path, query } = split(asked)
  const headers = forwarded(asked)
  return {
    ...event,
    path: `${before}${path}`,
    httpMethod: asked.method,
    headers: keepLastValues(headers),
    multiValueHeaders: lists(headers),
    queryStringParameters: keepLastValues(decodedPairs(query)),
    multiValueQueryStringParameters: lists(decodedPairs(query)),
    requestContext: {
      ...event.requestContext,
      ...(before === "" ? {} : { stage: before.slice(1) }),
      identity: { ...event.requestContext.identity, sourceIp: testClientAddress }
    },
    ...body(asked)
  }
}

const loadBalancer = (name: string, several: boolean) => (asked: HostComparisonRequest) => {
  const { path, query } = split(asked)
  const headers = forwarded(asked).map(([key, value]) => [key.toLowerCase(), value] as const)
  return {
    requestContext: readExampleEvent(name).requestContext,
    httpMethod: asked.method,
    path,
    ...(several
      ? { multiValueHeaders: lists(headers) ?? {}, multiValueQueryStringParameters: lists(rawPairs(query)) ?? {} }
      : { headers: keepLastValues(headers), queryStringParameters: keepLastValues(rawPairs(query)) }),
    ...body(asked),
    ...(asked.body === undefined ? { body: "" } : {})
  }
}

export const eventMakersBySource: Readonly<Record<string, (asked: HostComparisonRequest) => unknown>> = {
  "an HTTP API": version2("http-api", "$default"),
  "an HTTP API under a stage": version2("http-api", "prod"),
  "an HTTP API that speaks version 1.0": version1("http-api-version-1", "/prod"),
  "a function URL": version2("function-url", "$default"),
  "a REST API": version1("rest-api", ""),
  "a load balancer": loadBalancer("load-balancer", false),
  "a load balancer with multi-value headers": loadBalancer("load-balancer-multi-value", true)
}
