/**
 * Tests the documented decisions about deliveries: how partners list deliveries, retry a delivery, and recover failed
 * deliveries.
 */
import { assert } from "@effect/vitest"
import { defaults } from "@partner-commentary/core/shared/WebhookPolicy"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import * as Seed from "@partner-commentary/test/Seed"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  actAsCreator,
  findCreatorToken,
  formatStatusAndCode,
  readInvalidFields,
  registerServiceTest,
  seedPartner,
  sendRequest,
  testClockStart,
  uuidPattern,
  validWebhookBody
} from "../support/conformance/Dashboard.ts"
import { eventually } from "../support/Eventually.ts"

/**
 * Sets a long lease, because an attempt counts as lost when a test moves the clock past the end of the attempt's lease.
 */
const patient = { policy: { lease: Duration.days(1) } }

/** Sets a single attempt for each delivery, without retries. */
const hasty = { policy: { lease: Duration.days(1), webhooks: { ...defaults, retries: [] } } }

const since = new Date(testClockStart).toISOString()

/** Seeds a partner with a webhook whose endpoint responds with `status`, and with creators who decline. */
const failing = (status: number) =>
  Effect.gen(function* () {
    const { answer, sent } = yield* InMemoryWebhookReceivers
    yield* answer(() => Effect.succeed({ status }))
    const { key, persona, submit } = yield* seedPartner()
    const made = yield* sendRequest("POST /webhooks", {
      key,
      body: { ...validWebhookBody, events: ["commentary.failed"] }
    })
    const path = `/webhooks/${made.data.id}`
    let mails = 0
    const declined = Effect.fnUntraced(function* (content: string) {
      yield* submit(content)
      mails += 1
      yield* actAsCreator(yield* findCreatorToken(persona.creator.email, mails), "decline")
    })
    const list = Effect.map(sendRequest(`GET ${path}/deliveries`, { key }), ({ data }) => data)
    /** Waits until the newest delivery has had `count` attempts. */
    const tried = (count: number) =>
      eventually(
        `${count} attempts`,
        Effect.map(list, ([newest]) =>
          newest?.attempt_count === count && newest.next_attempt_at !== newest.created_at ? newest : null
        )
      )
    const settled = (wanted: string, count: number) =>
      eventually(
        `${count} ${wanted}`,
        Effect.map(
          list,
          (all) => all.filter((one: { readonly status: string }) => one.status === wanted).length === count
        )
      )
    const recover = (body: object) => sendRequest(`POST ${path}/recover`, { key, body })
    const patch = (body: object) => sendRequest(`PATCH ${path}`, { key, body })
    const asked = Effect.map(sent, ({ length }) => length)
    return { answer, asked, declined, key, list, patch, path, recover, settled, tried }
  })

registerServiceTest(
  "GET /webhooks/{id}/deliveries lists deliveries with the status code and duration of each attempt, and the next attempt",
  Effect.gen(function* () {
    const { declined, key, path, tried } = yield* failing(503)
    yield* declined("Who wins the cup this season?")
    const { attempts, next_attempt_at, ...rest } = yield* tried(1)
    assert.match(rest.id, uuidPattern)
    assert.deepInclude(rest, { event_id: `evt_${rest.id}`, type: "commentary.failed", status: "pending" })
    assert.deepInclude(attempts[0], { response_code: 503, error_class: "http" })
    assert.strictEqual(typeof attempts[0].duration_ms, "number")
    const wait = Date.parse(next_attempt_at) - Date.parse(attempts[0].at)
    assert.isTrue(wait >= 5000 && wait < 7000, "5 s, with jitter")
    const one = yield* sendRequest(`GET ${path}/deliveries/${rest.id}`, { key })
    assert.deepStrictEqual([one.status, one.data.attempts[0].response_excerpt], [200, ""])
    const stranger = yield* seedPartner()
    assert.strictEqual(
      formatStatusAndCode(yield* sendRequest(`GET ${path}/deliveries`, { key: stranger.key })),
      "404 not_found"
    )
  }),
  patient
)

registerServiceTest(
  "Required scope: topics:read is required for reading deliveries, and topics:submit for retries and recoveries",
  Effect.gen(function* () {
    const { declined, path, tried } = yield* failing(500)
    const { owner } = yield* seedPartner()
    yield* declined("Who wins the cup this season?")
    const { id } = yield* tried(1)
    const reads = yield* Seed.issueApiKey(owner, { scopes: ["topics:read"] })
    const submits = yield* Seed.issueApiKey(owner, { scopes: ["topics:submit"] })
    for (const line of [`GET ${path}/deliveries`, `GET ${path}/deliveries/${id}`]) {
      assert.strictEqual(formatStatusAndCode(yield* sendRequest(line, { key: submits.text })), "401 scope_denied", line)
      assert.strictEqual(formatStatusAndCode(yield* sendRequest(line, { key: reads.text })), "404 not_found", line)
    }
    for (const line of [`POST ${path}/deliveries/${id}/retry`, `POST ${path}/recover`]) {
      assert.strictEqual(
        formatStatusAndCode(yield* sendRequest(line, { key: reads.text, body: { since } })),
        "401 scope_denied",
        line
      )
      assert.strictEqual(
        formatStatusAndCode(yield* sendRequest(line, { key: submits.text, body: { since } })),
        "404 not_found",
        line
      )
    }
  }),
  patient
)

registerServiceTest(
  "Paused webhook: deliveries are held without an attempt, and are sent when the webhook is active again",
  Effect.gen(function* () {
    const { asked, declined, list, patch, settled } = yield* failing(200)
    yield* patch({ status: "paused" })
    yield* declined("Who wins the cup this season?")
    yield* TestClock.adjust("29 days")
    assert.strictEqual(yield* asked, 0)
    assert.deepInclude((yield* list)[0], { status: "held", attempt_count: 0, next_attempt_at: null, attempts: [] })
    yield* patch({ status: "active" })
    yield* settled("delivered", 1)
  }),
  patient
)

registerServiceTest(
  "Recovery: POST …/deliveries/{delivery_id}/retry retries one delivery, and a success cancels the automatic retries",
  Effect.gen(function* () {
    const { answer, asked, declined, key, path, tried } = yield* failing(500)
    yield* declined("Who wins the cup this season?")
    const { id } = yield* tried(1)
    yield* answer(() => Effect.succeed({}))
    const retried = yield* sendRequest(`POST ${path}/deliveries/${id}/retry`, { key })
    assert.deepStrictEqual([retried.status, retried.data.id], [200, id])
    assert.deepInclude(yield* tried(2), { status: "delivered", next_attempt_at: null })
    yield* TestClock.adjust("5 days")
    assert.strictEqual(yield* asked, 2)
  }),
  patient
)

registerServiceTest(
  "Recovery: POST …/recover resends failed and held deliveries and returns their count, and a dry run only counts them",
  Effect.gen(function* () {
    const { answer, asked, declined, patch, recover, settled } = yield* failing(500)
    yield* declined("Who wins the cup this season?")
    yield* settled("failed", 1)
    yield* patch({ status: "paused" })
    yield* declined("And who wins it the next?")
    const dry = yield* recover({ since, dry_run: true })
    assert.deepInclude(dry.data, { dry_run: true, count: 2, failed: 1, held: 1 })
    yield* TestClock.adjust("1 hour")
    yield* settled("failed", 1)
    assert.strictEqual((yield* recover({ since })).data.count, 2)
    yield* settled("held", 2)
    yield* answer(() => Effect.succeed({}))
    yield* patch({ status: "active" })
    yield* settled("delivered", 2)
    assert.strictEqual(yield* asked, 3)
    assert.strictEqual((yield* recover({ since })).data.count, 0)
  }),
  hasty
)

registerServiceTest(
  "Recovery: since is required, and must be before until and within the last 30 days; until and dry_run are optional",
  Effect.gen(function* () {
    const { recover } = yield* failing(200)
    assert.deepStrictEqual(readInvalidFields(yield* recover({})), ["since"])
    assert.deepStrictEqual(readInvalidFields(yield* recover({ since: "x", until: "y", dry_run: 1 })), [
      "since",
      "until",
      "dry_run"
    ])
    const days = (count: number) => new Date(testClockStart - count * 86_400_000).toISOString()
    assert.strictEqual(formatStatusAndCode(yield* recover({ since: days(30) })), "200")
    assert.deepStrictEqual(readInvalidFields(yield* recover({ since: days(31) })), ["since"])
    assert.deepStrictEqual(readInvalidFields(yield* recover({ since: days(1), until: days(1) })), ["since"])
    assert.strictEqual(formatStatusAndCode(yield* recover({ since: days(2), until: days(1) })), "200")
  })
)
