/** Compares real deliveries with the description of webhooks in the OpenAPI document. */
import { createHmac, timingSafeEqual } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { generateOpenApiDocument } from "@partner-commentary/api/description/Description"
import type { JsonSchema } from "@partner-commentary/api/description/Document"
import { resolveSchema } from "@partner-commentary/api/description/SchemaText"
import { PartnerApi } from "@partner-commentary/api/PartnerApi"
import { EventType } from "@partner-commentary/core/webhook/EventType"
import * as InMemory from "@partner-commentary/test/InMemory"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { seedDecliningPartner, waitForEvents } from "../support/DeliveryCalls.ts"
import { createWebhook, exampleWebhookUrl, requestWebhookTest } from "../support/WebhookCalls.ts"

const document = generateOpenApiDocument(PartnerApi, "https://api.example.com")

type IsGenuine = (secret: string, headers: Readonly<Record<string, string | undefined>>, body: string) => boolean

/**
 * Runs the code for verifying webhooks that the OpenAPI document shows. The test passes Node's functions to the code as
 * arguments instead of imports.
 */
const isGenuine: IsGenuine = (() => {
  const [, lines = ""] = /```js\n([\s\S]+?)```/.exec(String(document.info["description"])) ?? []
  const code = `${lines.replace(/^import .*$/m, "")}; return isGenuine`
  return new Function("createHmac", "timingSafeEqual", code)(createHmac, timingSafeEqual)
})()

it.effect("the documented code for verifying webhooks accepts genuine requests and refuses all other requests", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.now())
    const { key } = yield* seedDecliningPartner
    for (const given of [{}, { secret: "a secret of the partner's own, in plain text" }]) {
      const { id, secret } = (yield* createWebhook(key, {
        url: exampleWebhookUrl,
        events: ["commentary.failed"],
        ...given
      })).body.data
      yield* requestWebhookTest(key, id)
      const request = (yield* (yield* InMemoryWebhookReceivers).sent).at(-1)
      if (request === undefined) return assert.fail("nothing was sent")
      const { body, headers } = request
      assert.isTrue(isGenuine(secret, headers, body))
      const signature = headers["webhook-signature"]
      assert.isTrue(isGenuine(secret, { ...headers, "webhook-signature": `v1,AAAA ${signature}` }, body))
      assert.isFalse(isGenuine("somebody else's secret, in plain text", headers, body))
      assert.isFalse(isGenuine(secret, headers, `${body} `))
      assert.isFalse(isGenuine(secret, { ...headers, "webhook-id": "evt_other" }, body))
      for (const missing of ["webhook-timestamp", "webhook-signature"]) {
        assert.isFalse(isGenuine(secret, { ...headers, [missing]: undefined }, body), missing)
      }
      const late = String(Number(headers["webhook-timestamp"]) - 301)
      assert.isFalse(isGenuine(secret, { ...headers, "webhook-timestamp": late }, body))
    }
  }).pipe(Effect.provide(InMemory.layer))
)

it("the title of each documented event is one sentence, because API explorers list these titles", () => {
  for (const [type, { post }] of Object.entries(document.webhooks ?? {})) {
    assert.match(String(post?.summary), /^[^.]+$/, type)
  }
})

it.effect("an event and a test event arrive with the documented headers and fields", () =>
  Effect.gen(function* () {
    const { declined, key } = yield* seedDecliningPartner
    const { id } = (yield* createWebhook(key, { url: exampleWebhookUrl, events: ["commentary.failed"] })).body.data
    yield* declined("Who goes down this season?")
    yield* waitForEvents(1)
    yield* requestWebhookTest(key, id)
    const sent = yield* (yield* InMemoryWebhookReceivers).sent
    assert.lengthOf(sent, 2)
    for (const { body, headers } of sent) {
      const event = JSON.parse(body)
      const described = document.webhooks?.[event.type]?.["post"]
      assert.deepStrictEqual(
        described?.parameters.map((one) => "name" in one && one.name),
        Object.keys(headers).filter((name) => name.startsWith("webhook-"))
      )
      const schema = described?.requestBody?.content["application/json"]?.schema
      const known = (schema: JsonSchema | undefined) =>
        schema === undefined ? {} : resolveSchema(schema, document.components.schemas)
      assert.deepStrictEqual(known(schema).required?.toSorted(), Object.keys(event).toSorted())
      const data = known(known(schema).properties?.["data"])
      assert.deepStrictEqual(data.required?.toSorted(), Object.keys(event.data).toSorted())
    }
  }).pipe(Effect.provide(InMemory.layer))
)

it("every event type is documented under its own name", () => {
  const types = Object.keys(document.webhooks ?? {})
  assert.deepStrictEqual(types, [...EventType.literals, "webhook.test"])
  const operations = [...Object.values(document.webhooks ?? {}), ...Object.values(document.paths)].flatMap(
    Object.values
  )
  const names = operations.map(({ operationId }) => operationId)
  assert.strictEqual(new Set(names).size, names.length)
})
