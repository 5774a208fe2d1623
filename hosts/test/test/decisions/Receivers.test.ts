/**
 * Tests the documented decisions about the allowed targets of a webhook URL. The webhook transport checks each target
 * when opening a connection.
 */
import { assert, it } from "@effect/vitest"
import { Webhooks } from "@partner-commentary/core/webhook/Webhooks"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import { TestApi } from "@partner-commentary/test/TestApi"
import { NameNotResolved } from "@partner-commentary/webhook/NameLookup"
import * as NodeWebhookTransport from "@partner-commentary/webhook/NodeWebhookTransport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  formatStatusAndCode,
  readInvalidFields,
  seedPartner,
  sendRequest,
  validWebhookBody
} from "../support/conformance/Dashboard.ts"

/** Maps the host names in these tests to addresses. */
const names: Readonly<Record<string, ReadonlyArray<string>>> = {
  "public.example": ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"],
  "inside.example": ["10.1.2.3"],
  "mixed.example": ["93.184.216.34", "127.0.0.1"],
  "metadata.example": ["169.254.169.254"]
}

const transport = NodeWebhookTransport.layer({
  allowPrivate: false,
  lookup: (name) => {
    const found = names[name]
    return found === undefined ? Effect.fail(new NameNotResolved({ unknown: true })) : Effect.succeed(found)
  }
})

const service = TestApi.layerHttp.pipe(
  Layer.provide(Layer.fresh(Webhooks.layer)),
  Layer.provide(transport),
  Layer.provideMerge(Application.layer({ outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) }))
)

const post = (key: string, url: string) => sendRequest("POST /webhooks", { key, body: { ...validWebhookBody, url } })

it.effect("a webhook can be registered if its host name does not resolve", () =>
  Effect.gen(function* () {
    const { key } = yield* seedPartner()
    for (const url of ["https://not-there-yet.example/", "https://public.example/"]) {
      assert.strictEqual(formatStatusAndCode(yield* post(key, url)), "201", url)
    }
  }).pipe(Effect.provide(service))
)

it.effect("a webhook cannot be registered if its host name resolves to a non-public address", () =>
  Effect.gen(function* () {
    const { key } = yield* seedPartner()
    for (const host of [
      "inside.example",
      "mixed.example",
      "metadata.example",
      "10.0.0.1",
      "127.0.0.1",
      "192.168.1.1",
      "169.254.169.254",
      "[::1]",
      "[fd00::1]",
      "[::ffff:10.0.0.1]",
      "localhost"
    ]) {
      assert.deepStrictEqual(readInvalidFields(yield* post(key, `https://${host}/hook`)), ["url"], host)
    }
    assert.deepStrictEqual((yield* sendRequest("GET /webhooks", { key })).data, [])
  }).pipe(Effect.provide(service))
)
