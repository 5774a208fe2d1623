/**
 * Tests that the AWS documentation's example event of each source is parsed, and that a request's client address is
 * determined.
 */
import { assert, describe, it } from "@effect/vitest"
import * as IpAllowList from "@partner-commentary/core/access/IpAllowList"
import { resolveClientAddress } from "@partner-commentary/server/ClientAddress"
import * as Result from "effect/Result"
import * as Event from "partner-commentary/lambda/Event"
import { type GatewayRequest, toServerRequest } from "partner-commentary/lambda/GatewayRequest"
import { readExampleEvent } from "./Sources.ts"

const read = (event: unknown): GatewayRequest => {
  const found = Result.getOrThrow(Event.decodeLambdaEvent(event))
  return found.is === "call" ? found.call : assert.fail("this is no request")
}

const text = ({ body }: GatewayRequest) => (body === null ? null : new TextDecoder().decode(body))

/** Returns the client address that the service determines for a request. */
const seenBy = ({ address, headers }: GatewayRequest, proxies: ReadonlyArray<string>) =>
  resolveClientAddress(address, headers["x-forwarded-for"], Result.getOrThrow(IpAllowList.parseAllowList(proxies)))

describe("example events of the AWS documentation", () => {
  it("the AWS documentation's example event of an HTTP API is parsed", () => {
    const call = read(readExampleEvent("http-api"))
    assert.deepInclude(call, { method: "POST", address: "192.0.2.1", answerAs: "http-api" })
    assert.strictEqual(call.targetBelow(""), "/my/path?parameter1=value1&parameter1=value2&parameter2=value")
    assert.deepStrictEqual(call.headers, { header1: "value1", header2: "value1,value2", cookie: "cookie1; cookie2" })
    assert.strictEqual(text(call), "Hello from Lambda")
  })

  it("the AWS documentation's example event of a function URL is parsed", () => {
    const call = read(readExampleEvent("function-url"))
    assert.deepInclude(call, { method: "POST", address: "123.123.123.123", answerAs: "http-api" })
    assert.strictEqual(text(call), "Hello from client!")
  })

  it("the AWS documentation's example event of a REST API is parsed", () => {
    const call = read(readExampleEvent("rest-api"))
    assert.deepInclude(call, { method: "GET", address: "52.255.255.12", answerAs: "multi-value-headers", body: null })
    assert.strictEqual(call.targetBelow(""), "/my/path?parameter1=value1&parameter1=value2&parameter2=value")
    assert.include(call.headers, { host: "id.execute-api.us-east-1.amazonaws.com", accept: "*/*" })
  })

  it("the AWS documentation's example event of an HTTP API with payload version 1.0 is parsed", () => {
    const call = read(readExampleEvent("http-api-version-1"))
    assert.deepInclude(call, { method: "GET", address: "192.0.2.1", answerAs: "multi-value-headers" })
    assert.deepStrictEqual(call.headers, { header1: "value1", header2: "value1, value2" })
  })

  it("the AWS documentation's example event of a load balancer is parsed", () => {
    const call = read(readExampleEvent("load-balancer"))
    assert.deepInclude(call, { method: "GET", address: "72.12.164.125", answerAs: "headers" })
    assert.strictEqual(call.targetBelow(""), "/lambda?query=1234ABCD")
  })

  it("the AWS documentation's example event of a load balancer with multi-value headers is parsed", () => {
    const call = read(readExampleEvent("load-balancer-multi-value"))
    assert.deepInclude(call, { address: "72.21.198.66", answerAs: "multi-value-headers" })
    assert.strictEqual(call.targetBelow(""), "/?myKey=val1&myKey=val2")
    assert.strictEqual(call.headers["cookie"], "name1=value1; name2=value2")
    assert.strictEqual(text(call), "request_body")
  })

  it("the example events of a schedule and of EventBridge Scheduler in the AWS documentation are parsed", () => {
    const schedule = Result.succeed({ is: "schedule" } as const)
    assert.deepStrictEqual(Event.decodeLambdaEvent(readExampleEvent("schedule")), schedule)
    assert.deepStrictEqual(
      Event.decodeLambdaEvent({ ...readExampleEvent("schedule"), source: "aws.scheduler" }),
      schedule
    )
  })
})

describe("the client address of a request", () => {
  const forwarded = (value: string) => {
    const event = readExampleEvent("load-balancer")
    return read({ ...event, headers: { ...event.headers, "x-forwarded-for": value } })
  }

  it("behind a load balancer the client address is the right-most entry of X-Forwarded-For, and entries that the client added are ignored", () => {
    assert.strictEqual(seenBy(forwarded("198.51.100.1, 203.0.113.9"), []), "203.0.113.9")
    assert.strictEqual(seenBy(forwarded("198.51.100.1,203.0.113.9:4711"), []), "203.0.113.9")
    assert.strictEqual(seenBy(forwarded("2001:db8::7"), []), "2001:db8::7")
    assert.strictEqual(seenBy(forwarded("[2001:db8::7]:443"), []), "2001:db8::7")
  })

  it("for each trusted proxy before the load balancer, the client address is one entry further to the left in X-Forwarded-For", () => {
    const call = forwarded("192.0.2.66, 198.51.100.1, 10.0.0.2, 10.0.0.1")
    assert.strictEqual(seenBy(call, ["10.0.0.0/8"]), "198.51.100.1")
  })

  it("behind API Gateway the client address comes from the request context, or from X-Forwarded-For if the request came through a trusted proxy", () => {
    const event = readExampleEvent("http-api")
    const call = read({ ...event, headers: { "x-forwarded-for": "198.51.100.1, 192.0.2.1" } })
    assert.strictEqual(seenBy(call, []), "192.0.2.1")
    assert.strictEqual(seenBy(call, ["203.0.113.0/24"]), "192.0.2.1")
    assert.strictEqual(seenBy(call, ["192.0.2.0/24"]), "198.51.100.1")
  })

  it("the client address is unknown if the load balancer sends no X-Forwarded-For header", () => {
    const { "x-forwarded-for": _, ...headers } = readExampleEvent("load-balancer").headers
    assert.strictEqual(read({ ...readExampleEvent("load-balancer"), headers }).address, "")
  })
})

describe("request paths", () => {
  const at = (rawPath: string, context = {}) => {
    const event = readExampleEvent("http-api")
    return read({ ...event, rawPath, rawQueryString: "", requestContext: { ...event.requestContext, ...context } })
  }
  const own = { domainName: "api.example.com", stage: "prod" }

  it("the stage's name is removed from the path only at API Gateway's own address, and only if the name is a whole path segment", () => {
    assert.strictEqual(at("/prod/partner/v1", { stage: "prod" }).targetBelow(""), "/partner/v1")
    assert.strictEqual(at("/prod", { stage: "prod" }).targetBelow(""), "/")
    assert.strictEqual(at("/production/x", { stage: "prod" }).targetBelow(""), "/production/x")
    assert.strictEqual(at("/prod/x", own).targetBelow(""), "/prod/x")
    assert.strictEqual(at("/partner/partner/v1", { stage: "partner" }).targetBelow(""), "/partner/v1")
    assert.strictEqual(at("/partner/v1/topics", { ...own, stage: "partner" }).targetBelow(""), "/partner/v1/topics")
  })

  it("the path of PUBLIC_URL is removed together with the stage if a proxy forwards to API Gateway's own address", () => {
    assert.strictEqual(at("/prod/commentary/x", { stage: "prod" }).targetBelow("/commentary"), "/x")
    const rest = { ...readExampleEvent("rest-api"), path: "/commentary/x" }
    assert.match(read(rest).targetBelow("/commentary"), /^\/x\?/)
    const same = { ...rest, path: "/partner/x", requestContext: { ...rest.requestContext, stage: "partner" } }
    assert.match(read(same).targetBelow("/partner"), /^\/partner\/x\?/)
  })

  it("behind a custom domain the path of PUBLIC_URL is removed", () => {
    assert.strictEqual(at("/commentary/partner/v1", own).targetBelow("/commentary"), "/partner/v1")
    assert.strictEqual(at("/partner/v1", own).targetBelow("/commentary"), "/partner/v1")
  })

  it("a path that a gateway has decoded is encoded again, so that no part of the path becomes a query", () => {
    assert.strictEqual(at("/a b/ü?c#d").targetBelow(""), "/a%20b/%C3%BC%3Fc%23d")
    assert.strictEqual(at("/a%2Fb/100%").targetBelow(""), "/a%2Fb/100%")
    assert.strictEqual(at("no/slash\uD800").targetBelow(""), "/no/slash%EF%BF%BD")
  })
})

describe("a body", () => {
  it("a body in Base64 is decoded to bytes", () => {
    const body = Buffer.from([0, 255, 254]).toString("base64")
    assert.deepStrictEqual(
      read({ ...readExampleEvent("http-api"), body, isBase64Encoded: true }).body,
      new Uint8Array([0, 255, 254])
    )
  })
})

describe("invalid HTTP", () => {
  it("a method or a header with invalid characters, such as a space or a line break, is refused", () => {
    const event = readExampleEvent("http-api")
    const http = { ...event.requestContext.http, method: "GET IT" }
    assert.isUndefined(toServerRequest(read({ ...event, requestContext: { ...event.requestContext, http } }), ""))
    assert.isUndefined(toServerRequest(read({ ...event, headers: { "x-api-key": "a\nb" } }), ""))
    assert.isUndefined(toServerRequest(read({ ...event, headers: { "x api": "a" } }), ""))
    assert.isUndefined(toServerRequest(read({ ...event, headers: { "x-a": "ü€" } }), ""))
  })

  it("a request keeps a method that the Fetch standard forbids, such as TRACE", () => {
    const event = readExampleEvent("rest-api")
    assert.strictEqual(toServerRequest(read({ ...event, httpMethod: "TRACE" }), "")?.[0].method, "TRACE")
  })

  it("a request with an invalid host name is accepted", () => {
    const event = readExampleEvent("http-api")
    assert.strictEqual(
      new URL(toServerRequest(read({ ...event, headers: { host: "a b" } }), "")?.[0].originalUrl ?? "").host,
      "localhost"
    )
  })
})
