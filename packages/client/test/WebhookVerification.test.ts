/** Tests webhook verification, and compares it with the reference package of Standard Webhooks. */
import {
  PartnerCommentary,
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError
} from "@partner-commentary/client"
import * as fc from "fast-check"
import { Webhook } from "standardwebhooks"
import { expect, it } from "vitest"
import { catchRejection } from "./ScriptedService.ts"

const encoded = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
const raw = "a raw secret of 32 or more characters"
const now = new Date("2026-01-30T12:00:00.000Z")
const body = JSON.stringify({
  id: "evt_1",
  type: "commentary.failed",
  timestamp: now.toISOString(),
  sequence: 3,
  data: { topic_id: "t", share_id: "s", reason: "declined", metadata: { title: "Grüße 🏀" } }
})

const reference = (secret: string) =>
  secret.startsWith("whsec_") ? new Webhook(secret) : new Webhook(secret, { format: "raw" })

const sign = (secret: string, text = body, at = now, id = "evt_1") => ({
  "webhook-id": id,
  "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
  "webhook-signature": reference(secret).sign(id, at, text)
})

const refusal = async (call: Promise<unknown>) => {
  const error = await catchRejection(call)
  if (!(error instanceof WebhookVerificationError)) throw error
  return error.reason
}

it.each([encoded, raw])("verifyWebhook accepts an event that the reference package signed with %s", async (secret) => {
  const event = await verifyWebhook(body, sign(secret), secret, { now })
  expect(event).toEqual(JSON.parse(body))
  if (event.type !== "commentary.failed") throw new Error("its type tells its data")
  expect(event.data.reason).toBe("declined")
})

it.each<[string, Parameters<typeof verifyWebhook>[1]]>([
  ["Headers", new Headers(sign(raw))],
  ["Node's headers", { host: "a", "set-cookie": ["a"], ...sign(raw) }],
  [
    "a record in any case",
    Object.fromEntries(Object.entries(sign(raw)).map(([name, value]) => [name.toUpperCase(), value]))
  ],
  ["a record of lists", Object.fromEntries(Object.entries(sign(raw)).map(([name, value]) => [name, [value]]))]
])("verifyWebhook accepts headers as %s", async (_, headers) => {
  expect((await verifyWebhook(body, headers, raw, { now })).id).toBe("evt_1")
})

it("verifyWebhook accepts the body as text, bytes or part of a larger buffer", async () => {
  const bytes = new TextEncoder().encode(body)
  const larger = new Uint8Array(bytes.length + 20)
  larger.set(bytes, 10)
  const views = [body, bytes, Buffer.from(body), bytes.buffer, larger.subarray(10, 10 + bytes.length)]
  for (const each of views) expect((await verifyWebhook(each, sign(raw), raw, { now })).id).toBe("evt_1")
})

it("verifyWebhook rejects a parsed body with an explanation", async () => {
  const parsed = JSON.parse(body) as string
  expect(String(await catchRejection(verifyWebhook(parsed, sign(raw), raw, { now })))).toMatch(/needs the raw body/)
})

it("verifyWebhook accepts an event if one of the given secrets matches one of the event's signatures", async () => {
  const other = "another secret of 32 or more characters"
  expect((await verifyWebhook(body, sign(raw), [other, encoded, raw], { now })).id).toBe("evt_1")
  const headers = sign(raw)
  const many = `v1a,AAAA v1,AAAA v1,**** ${sign(other)["webhook-signature"]} ${headers["webhook-signature"]}`
  expect((await verifyWebhook(body, { ...headers, "webhook-signature": many }, raw, { now })).id).toBe("evt_1")
})

it("verifyWebhook accepts an unknown event type", async () => {
  const news = JSON.stringify({ id: "evt_2", type: "persona.retired", data: { a: 1 } })
  const event: WebhookEvent = await verifyWebhook(news, sign(raw, news), raw, { now })
  expect(event).toEqual(JSON.parse(news))
})

it.each(["webhook-id", "webhook-timestamp", "webhook-signature"])(
  "verifyWebhook rejects a request without the header %s",
  async (name) => {
    expect(await refusal(verifyWebhook(body, { ...sign(raw), [name]: undefined }, raw, { now }))).toBe("missing_header")
    expect(await refusal(verifyWebhook(body, { ...sign(raw), [name]: "" }, raw, { now }))).toBe("missing_header")
  }
)

it("verifyWebhook rejects past and future timestamps outside of the tolerance", async () => {
  const at = (seconds: number) => new Date(now.getTime() + seconds * 1000)
  const verify = (seconds: number, toleranceSeconds?: number) =>
    verifyWebhook(body, sign(raw, body, at(seconds)), raw, { now, toleranceSeconds })
  for (const seconds of [-300, 0, 300]) expect((await verify(seconds)).id).toBe("evt_1")
  expect(await refusal(verify(-301))).toBe("too_old")
  expect(await refusal(verify(301))).toBe("too_new")
  expect(await refusal(verify(-11, 10))).toBe("too_old")
  expect((await verify(-3600, 3600)).id).toBe("evt_1")
})

it.each(["soon", "1.5", "-1", "1e9", "", " 1"])("verifyWebhook rejects the timestamp %j", async (timestamp) => {
  const reason = await refusal(verifyWebhook(body, { ...sign(raw), "webhook-timestamp": timestamp }, raw, { now }))
  expect(["malformed_header", "missing_header"]).toContain(reason)
})

it("verifyWebhook uses the local clock by default", async () => {
  expect((await verifyWebhook(body, sign(raw, body, new Date()), raw)).id).toBe("evt_1")
  expect(await refusal(verifyWebhook(body, sign(raw, body, new Date(0)), raw))).toBe("too_old")
})

it("verifyWebhook rejects an event with a changed id, time, body or secret", async () => {
  const headers = sign(raw)
  const later = String(Number(headers["webhook-timestamp"]) + 1)
  const attempts = [
    () => verifyWebhook(body, { ...headers, "webhook-id": "evt_2" }, raw, { now }),
    () => verifyWebhook(body, { ...headers, "webhook-timestamp": later }, raw, { now }),
    () => verifyWebhook(`${body} `, headers, raw, { now }),
    () => verifyWebhook(body, headers, `${raw}!`, { now }),
    () => verifyWebhook(body, { ...headers, "webhook-signature": headers["webhook-signature"].slice(3) }, raw, { now }),
    () =>
      verifyWebhook(
        body,
        { ...headers, "webhook-signature": headers["webhook-signature"].replace("v1,", "v2,") },
        raw,
        { now }
      ),
    () => verifyWebhook(body, { ...headers, "webhook-signature": "v1," }, raw, { now })
  ]
  for (const attempt of attempts) expect(await refusal(attempt())).toBe("wrong_signature")
})

it.each(["", "whsec_", "whsec_no base64!"])(
  "before any other check, verifyWebhook rejects the secret %j with malformed_secret",
  async (secret) => {
    expect(await refusal(verifyWebhook(body, {}, secret, { now }))).toBe("malformed_secret")
    expect(await refusal(verifyWebhook(body, sign(raw), [raw, secret], { now }))).toBe("malformed_secret")
  }
)

it.each([
  ["undefined", undefined],
  ["null", null],
  ["an empty list", []],
  ["a list of undefined", [undefined]],
  ["a list with a missing secret", [raw, undefined]]
])("before any other check, verifyWebhook rejects %s instead of a secret with missing_secret", async (_, secret) => {
  const error = await catchRejection(verifyWebhook(body, {}, secret as never, { now }))
  expect(error).toMatchObject({ name: "WebhookVerificationError", reason: "missing_secret" })
  expect(String(error)).toContain("The webhook's secret is missing")
})

it("verifyWebhook rejects a signed body that is not JSON", async () => {
  expect(await refusal(verifyWebhook("hello", sign(raw, "hello"), raw, { now }))).toBe("malformed_body")
})

it("verifyWebhook and the reference package of Standard Webhooks give the same result for any body, both formats of a secret, and any changed byte", async () => {
  const text = fc.json()
  const change = fc.record({ at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) })
  await fc.assert(
    fc.asyncProperty(text, fc.constantFrom(encoded, raw), fc.option(change), async (text, secret, change) => {
      const at = new Date()
      const headers = sign(secret, text, at)
      const bytes = new TextEncoder().encode(text)
      if (change !== null) {
        const index = change.at % bytes.length
        bytes[index] = ((bytes[index] ?? 0) + change.by) % 256
      }
      const theirs = await catchRejection(
        Promise.resolve().then(() => {
          reference(secret).verify(Buffer.from(bytes), headers, { jsonParse: false })
          throw new Error("believed")
        })
      )
      const ours = await verifyWebhook(bytes, headers, secret).then(
        () => "believed",
        (error: unknown) => error
      )
      expect(ours === "believed").toBe(String(theirs) === "Error: believed")
      expect(ours === "believed").toBe(change === null)
    }),
    { numRuns: 200 }
  )
})

it("the client's `webhooks.verify` is the exported function `verifyWebhook`", async () => {
  const client = new PartnerCommentary({ apiKey: "pk_test_a", baseUrl: "https://api.example" })
  expect((await client.webhooks.verify(body, sign(raw), raw, { now })).id).toBe("evt_1")
})
