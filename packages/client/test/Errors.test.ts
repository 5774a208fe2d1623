/**
 * Tests the errors of failed calls: their types, how the client recognizes responses of a proxy, and that no error
 * contains the key.
 */
import { inspect } from "node:util"
import {
  ApiError,
  ConnectionError,
  PartnerCommentary,
  PartnerCommentaryDashboard,
  PartnerCommentaryError,
  UnexpectedAnswerError
} from "@partner-commentary/client"
import { expect, it } from "vitest"
import {
  catchRejection,
  failWithConnectionReset,
  makeErrorResponse,
  makeHtmlResponse,
  makeJsonResponse,
  makeScriptedService,
  makeSuccessResponse,
  testApiKey
} from "./ScriptedService.ts"

const once = { maxRetries: 0 }

it("an API error has status, code, message, details, request id and headers", async () => {
  const details = [{ persona_id: "a", status: "not_licensed" }]
  const { client } = makeScriptedService([
    makeErrorResponse(400, "no_valid_personas", details, { "x-request-id": "r-1", "x-more": "yes" })
  ])
  const error = await catchRejection(client.topics.create({ content: "Who wins the derby?", persona_ids: ["a"] }))
  if (!(error instanceof ApiError)) throw error
  expect(error).toBeInstanceOf(PartnerCommentaryError)
  expect(error).toMatchObject({ name: "ApiError", status: 400, requestId: "r-1", message: "It is no_valid_personas." })
  expect(error.headers.get("x-more")).toBe("yes")
  if (error.code !== "no_valid_personas") throw error
  expect(error.details.map((each) => each.persona_id)).toEqual(["a"])
})

it("an error code that the client does not know is returned unchanged with its details", async () => {
  const { client } = makeScriptedService([makeErrorResponse(409, "brand_new", { some: "thing" })])
  expect(await catchRejection(client.topics.get("t"))).toMatchObject({
    status: 409,
    code: "brand_new",
    details: { some: "thing" }
  })
})

it.each([
  ["a proxy's page", makeHtmlResponse(502), /Status 502 came with text\/html/],
  ["a page with status 200", makeHtmlResponse(200), /Status 200 came with text\/html/],
  ["JSON from another server", makeJsonResponse(200, { message: "hello" }), /Status 200/],
  ["an error from another server", makeJsonResponse(403, { success: false, error: "no" }), /Status 403/],
  ["a successful body with status 500", makeJsonResponse(500, { success: true, data: {} }), /Status 500/],
  ["a list", makeJsonResponse(200, []), /Status 200/],
  ["nothing", () => new Response(null, { status: 204 }), /Status 204 came with nothing/],
  [
    "a redirect",
    () => new Response(null, { status: 308, headers: { location: "https://other.example/" } }),
    /redirect to https:\/\/other\.example\//
  ],
  [
    "an unchanged answer to a tag of the caller",
    () => new Response(null, { status: 304, headers: { etag: '"1"' } }),
    /304 Not Modified: the answer to If-None-Match is unchanged/
  ]
])("%s is reported as an unexpected response", async (_, answer, message) => {
  const { client } = makeScriptedService([answer], once)
  const error = await catchRejection(client.topics.get("t"))
  expect(error).toBeInstanceOf(UnexpectedAnswerError)
  expect(String(error)).toMatch(message)
})

it("an UnexpectedAnswerError quotes only a part of the response", async () => {
  const { client } = makeScriptedService([() => new Response("x".repeat(10_000), { status: 500 })], once)
  expect(await catchRejection(client.topics.get("t"))).toMatchObject({ status: 500, excerpt: "x".repeat(500) })
})

it("a connection error has the cause and the sent request id", async () => {
  const { asked, client } = makeScriptedService([failWithConnectionReset], once)
  const error = await catchRejection(client.topics.get("t"))
  if (!(error instanceof ConnectionError)) throw error
  expect(error.message).toMatch(/fetch failed \(ECONNRESET\)/)
  expect(error.requestId).toBe(asked[0]?.init.headers.get("x-request-id"))
  expect(error.cause).toBeInstanceOf(TypeError)
})

it("inspecting clients and errors never shows the key", async () => {
  const { client } = makeScriptedService(
    [failWithConnectionReset, makeHtmlResponse(502), makeErrorResponse(401, "unauthorized")],
    once
  )
  const shown: Array<unknown> = [
    client,
    new PartnerCommentaryDashboard({ token: testApiKey, baseUrl: "https://a.example" })
  ]
  for (let call = 0; call < 3; call++) shown.push(await catchRejection(client.topics.get("t")))
  for (const each of shown) {
    const deep = inspect(each, { depth: 20, showHidden: true, getters: true })
    expect(`${deep}${JSON.stringify(each)}${String(each)}`).not.toContain(testApiKey)
  }
})

it.each(["", "pk_live_a\n", "pk_live_a b", "pk_live_ü"])(
  "a key with invalid characters is rejected with an error that does not contain the key: %j",
  (key) => {
    expect(() => makeScriptedService([makeSuccessResponse({})], { apiKey: key })).toThrow(
      /^apiKey is missing or contains an invalid character\.$/
    )
  }
)

it("if an `apiKey` function returns an invalid key, the call rejects before a request is sent", async () => {
  const { asked, client } = makeScriptedService([makeSuccessResponse({})], { apiKey: () => "pk_live_a\r\nx: y" })
  expect(String(await catchRejection(client.topics.get("t")))).toMatch(/^PartnerCommentaryError: apiKey is missing/)
  expect(asked).toHaveLength(0)
})

it.each(["", "api.example", "ftp://api.example", "https://user:secret@api.example", "https://api.example?a=b"])(
  "the client rejects %j as baseUrl",
  (baseUrl) => {
    expect(() => new PartnerCommentary({ apiKey: testApiKey, baseUrl })).toThrow(/^baseUrl must/)
  }
)
