/**
 * Tests the rotation of a webhook's secret by a partner. During the grace period, events are signed with both secrets.
 */
import { assert, it } from "@effect/vitest"
import { verifyWebhook } from "@partner-commentary/client"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { registerWebhook, seedDecliningPartner, waitForEvents } from "../support/DeliveryCalls.ts"
import { readJson } from "../support/Json.ts"
import { getWebhook, readReportedProblems, requestWebhookTest, unknownId } from "../support/WebhookCalls.ts"

const rotate = (key: string, id: string, body?: unknown, headers: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const given = { method: "POST", key, headers, ...(body === undefined ? {} : { body }) }
    const response = yield* call(`/partner/v1/webhooks/${id}/rotate-secret`, given)
    return { status: response.status, headers: response.headers, body: yield* readJson(response) }
  })

const rotating = Effect.gen(function* () {
  const partner = yield* seedDecliningPartner
  const hook = yield* registerWebhook(partner.key, ["commentary.failed"])
  let events = 0
  /** Causes another delivery, and returns for each secret whether it verifies the delivery. */
  const verifying = (secrets: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      yield* partner.declined(`Who is number ${++events} this season?`)
      const request = (yield* waitForEvents(events)).at(-1)?.request ?? assert.fail("nothing was sent")
      const now = new Date(yield* Clock.currentTimeMillis)
      const isVerified = (secret: string) =>
        Effect.promise(() =>
          verifyWebhook(request.body, request.headers, secret, { now }).then(
            () => true,
            () => false
          )
        )
      return { verified: yield* Effect.forEach(secrets, isVerified), request }
    })
  return { ...partner, hook, verifying }
})

it.effect("during the grace period events are signed with both secrets, and afterwards only with the new secret", () =>
  Effect.gen(function* () {
    const { hook, key, verifying } = yield* rotating
    const { body, status } = yield* rotate(key, hook.id, { grace_period_seconds: 3600 })
    assert.strictEqual(status, 200)
    const { secret } = body.data
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.notStrictEqual(secret, hook.secret)
    assert.strictEqual(body.data.former_secret_expires_at, "2026-03-01T10:00:00.000Z")
    const during = yield* verifying([secret, hook.secret])
    assert.deepStrictEqual(during.verified, [true, true])
    assert.lengthOf(during.request.headers["webhook-signature"]?.split(" ") ?? [], 2)
    yield* TestClock.adjust("1 hour")
    const after = yield* verifying([secret, hook.secret])
    assert.deepStrictEqual(after.verified, [true, false])
    assert.notInclude(after.request.headers["webhook-signature"], " ")
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "with a grace period of 0 the former secret signs no more events, and the request can contain the new secret",
  () =>
    Effect.gen(function* () {
      const { hook, key, verifying } = yield* rotating
      const mine = "a secret of my own choice, 32 characters"
      const { data } = (yield* rotate(key, hook.id, { grace_period_seconds: 0, secret: mine })).body
      assert.deepStrictEqual([data.secret, data.former_secret_expires_at], [mine, null])
      assert.deepStrictEqual((yield* verifying([mine, hook.secret])).verified, [true, false])
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the default grace period is a day, and a second rotation removes the oldest secret", () =>
  Effect.gen(function* () {
    const { hook, key, verifying } = yield* rotating
    const first = (yield* rotate(key, hook.id)).body.data
    assert.strictEqual(first.former_secret_expires_at, "2026-03-02T09:00:00.000Z")
    const second = (yield* rotate(key, hook.id, {})).body.data
    const { verified } = yield* verifying([second.secret, first.secret, hook.secret])
    assert.deepStrictEqual(verified, [true, true, false])
    const tested = yield* requestWebhookTest(key, hook.id)
    assert.isTrue(tested.body.success)
    assert.lengthOf((yield* waitForEvents(2)).at(-1)?.request.headers["webhook-signature"]?.split(" ") ?? [], 2)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("only the response to the rotation contains the secret, and a repeated request gets the same secret", () =>
  Effect.gen(function* () {
    const { hook, key } = yield* rotating
    const sql = yield* SqlClient.SqlClient
    const headers = { "idempotency-key": "once" }
    const first = yield* rotate(key, hook.id, {}, headers)
    const again = yield* rotate(key, hook.id, {}, headers)
    assert.deepStrictEqual(again.body, first.body)
    assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
    const { former_secret_expires_at: _, secret, ...shown } = first.body.data
    assert.deepStrictEqual((yield* getWebhook(key, `/${hook.id}`)).body.data, shown)
    const kept = yield* sql`SELECT * FROM webhooks`
    for (const hidden of [secret, hook.secret]) assert.notInclude(JSON.stringify(kept), hidden)
    const records = yield* sql<{
      details: string
    }>`SELECT details FROM audit_log WHERE action = 'webhook.secret_rotated'`
    assert.lengthOf(records, 1)
    assert.include(records[0]?.details, `"grace_period_seconds":86400`)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a rotation with an invalid body, or of another organization's webhook, is refused and changes nothing", () =>
  Effect.gen(function* () {
    const { hook, key, owner, verifying } = yield* rotating
    const wrong = yield* rotate(key, hook.id, { grace_period_seconds: 604_801, secret: "short" })
    assert.deepStrictEqual(
      readReportedProblems(wrong)
        .map(({ field }) => field)
        .toSorted(),
      ["grace_period_seconds", "secret"]
    )
    const stranger = yield* Seed.issueApiKey(yield* Seed.createOrganization({ name: "Other" }))
    const test = yield* Seed.issueApiKey(owner, { environment: "test" })
    for (const { text } of [stranger, test]) assert.strictEqual((yield* rotate(text, hook.id)).status, 404)
    for (const id of [unknownId, "not-an-id"]) assert.strictEqual((yield* rotate(key, id)).status, 404)
    const reader = yield* Seed.issueApiKey(owner, { scopes: ["topics:read", "webhooks:read"] })
    assert.strictEqual((yield* rotate(reader.text, hook.id)).body.error.code, "scope_denied")
    assert.deepStrictEqual((yield* verifying([hook.secret])).verified, [true])
  }).pipe(Effect.provide(InMemory.layer))
)
