import { describe, it } from "@effect/vitest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { assert } from "vitest"
import type { OrganizationId, WebhookId } from "../../src/shared/Ids.ts"
import { applyPatch, listChangedFields, type Webhook } from "../../src/webhook/Webhook.ts"
import {
  findWebhookSecretProblem,
  generateWebhookSecret,
  webhookSecretPattern
} from "../../src/webhook/WebhookSecret.ts"
import { extractHost, findWebhookUrlProblem, webhookUrlPattern } from "../../src/webhook/WebhookUrl.ts"
import { makeTestUuid } from "../topic/SampleAssignments.ts"

const webhook = {
  id: makeTestUuid<WebhookId>(1),
  owner: { organizationId: makeTestUuid<OrganizationId>(2), environment: "live" },
  url: "https://example.com/in",
  events: ["creator.approved", "commentary.failed"],
  status: "active",
  consecutiveFailures: 0,
  lastDeliveryAt: null,
  createdAt: 1,
  updatedAt: 1
} as const satisfies Webhook

describe("Changes of a webhook", () => {
  it("a patch of a webhook keeps the fields that it omits, and sets updated_at if a field changes", () => {
    const after = applyPatch(webhook, { status: "paused" }, 9)
    assert.deepStrictEqual(after, { ...webhook, status: "paused", updatedAt: 9 })
    assert.deepStrictEqual(listChangedFields(webhook, after), ["status"])
  })

  it("a patch of a webhook without an effective change returns the same object", () => {
    for (const patch of [{}, { url: webhook.url }, { events: [...webhook.events] }, { status: "active" }] as const) {
      assert.strictEqual(applyPatch(webhook, patch, 9), webhook)
    }
  })

  it("a webhook's failure count is reset only when the webhook's status changes to active", () => {
    for (const status of ["active", "paused", "disabled"] as const) {
      const failing = { ...webhook, status, consecutiveFailures: 12 }
      const active = applyPatch(failing, { status: "active" }, 9)
      assert.deepStrictEqual(active, { ...webhook, updatedAt: 9 })
      for (const patch of [{ status: "paused" }, { url: "https://new.example/" }, { events: [] }] as const) {
        assert.strictEqual(applyPatch(failing, patch, 9).consecutiveFailures, 12)
      }
    }
  })
})

describe("Webhook secrets", () => {
  const isGood = (text: string) => webhookSecretPattern.test(text) && findWebhookSecretProblem(text) === null

  it("a webhook's secret with whsec_ must have 24 to 64 bytes in canonical base64", () => {
    for (let length = 0; length <= 100; length++) {
      const bytes = Uint8Array.from({ length }, (_, index) => 255 - index)
      assert.strictEqual(isGood(`whsec_${Base64.encode(bytes)}`), length >= 24 && length <= 64, String(length))
    }
    const good = Base64.encode(new Uint8Array(32).fill(255))
    assert.include(good, "/")
    for (const bad of [
      good.replaceAll("/", "_"),
      good.replace("=", ""),
      `${good}=`,
      ` ${good}`,
      good.replace(/.=$/, "9="),
      `${good.slice(0, 20)} ${good.slice(20)}`
    ]) {
      assert.isFalse(isGood(`whsec_${bad}`), bad)
    }
  })

  it("a webhook's secret without whsec_ must have 32 to 256 printable ASCII characters", () => {
    assert.deepStrictEqual(
      [31, 32, 256, 257].map((length) => isGood("a b~".repeat(65).slice(0, length))),
      [false, true, true, false]
    )
    for (const bad of ["é", "\n", "\t", "\u0000", "\u007f", "🙂"]) assert.isFalse(isGood("x".repeat(40) + bad), bad)
    assert.isTrue(isGood(`WHSEC_${"x".repeat(32)}`))
  })

  it.effect("a generated webhook secret is valid, 32 bytes long and unique", () =>
    Effect.gen(function* () {
      const random = yield* SecureRandom.SecureRandom
      const made = yield* Effect.forEach(Array.from({ length: 100 }), () =>
        Effect.map(generateWebhookSecret(random), Redacted.value)
      )
      assert.strictEqual(new Set(made).size, 100)
      for (const secret of made) {
        assert.isTrue(isGood(secret))
        assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      }
    }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
  )
})

describe("Webhook URLs", () => {
  const isGood = (text: string) => webhookUrlPattern.test(text) && findWebhookUrlProblem(text) === null

  it("common URLs of receivers are accepted as webhook URLs", () => {
    for (const good of [
      "https://example.com",
      "https://Example.com:8443/a/b;c?d=%20&e=[f]&g=@h",
      "http://localhost:3000/in",
      "https://[2606:4700::1111]/in",
      "https://xn--mnchen-3ya.example/",
      "https://example.com/@team/in"
    ]) {
      assert.isTrue(isGood(good), good)
    }
  })

  it("a webhook URL with credentials, a fragment or ambiguous characters is rejected", () => {
    for (const bad of [
      "https://user@example.com/",
      "https://user:password@example.com/",
      "https://:@example.com/",
      "https://@example.com/",
      "https://example.com/#",
      "HTTPS://example.com/",
      "https:/example.com/",
      "https:///example.com/",
      "//example.com/",
      "https://example.com\\@evil.example/",
      "https://exam\tple.com/",
      "https://example.com/\n",
      " https://example.com/",
      "https://example.com:99999/",
      "https://ex%00ample.com/",
      "https://[::1/",
      "javascript://example.com/",
      "https://exаmple.com/"
    ]) {
      assert.isFalse(isGood(bad), bad)
    }
  })

  it("notices show only the host of the webhook URL, without credentials or a path", () =>
    void fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, validSchemes: ["https"] }), (text) => {
        if (!isGood(text)) return
        const host = extractHost(text)
        assert.notStrictEqual(host, "")
        assert.strictEqual(new URL(text).host, host)
        assert.notMatch(host, /[/?#@\s]/)
      }),
      { numRuns: 50 }
    ))
})
